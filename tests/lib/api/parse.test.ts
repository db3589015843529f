import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseQuery } from "@/lib/api/parse";
import { AppError } from "@/lib/wire/errors";
import { booleanParam, intParam, numberParam, parseValue, textParam } from "@/lib/wire/params";

const Query = z.object({
  days: intParam({ min: 1, max: 90, default: 7 }),
  share: numberParam({ min: 0, max: 1, default: 0 }),
  all: booleanParam({ default: false }),
  symbol: textParam(
    (text) => (/^[a-z]+$/i.test(text.trim()) ? text.trim().toUpperCase() : null),
    "no symbol",
  ),
});

const read = (query: string) => parseQuery(new Request(`http://localhost/api/x${query}`), Query);

/** Parameters named in the refusal of a query. */
function refused(query: string): unknown[] {
  try {
    read(query);
  } catch (error) {
    if (error instanceof AppError && error.status === 422) return error.errors?.map((e) => e.loc[1]) ?? [];
    throw error;
  }
  return [];
}

describe("parseQuery", () => {
  it("parseQuery uses defaults for missing parameters", () => {
    expect(read("")).toEqual({ days: 7, share: 0, all: false });
    expect(read("?")).toEqual({ days: 7, share: 0, all: false });
  });

  it("parseQuery reads valid values, the ends of the range included", () => {
    expect(read("?days=90&share=0.25&all=true&symbol=%20eurusd%20")).toEqual({
      days: 90,
      share: 0.25,
      all: true,
      symbol: "EURUSD",
    });
    expect(read("?days=1&share=1")).toMatchObject({ days: 1, share: 1 });
    expect(read("?days=007")).toMatchObject({ days: 7 });
  });

  it.each([
    "+7",
    "%2B7",
    "%207",
    "7%20",
    "1e1",
    "",
    "%D9%A7",
    "７",
    "7.0",
    "0x7",
    "null",
    "NaN",
    "0",
    "-1",
    "91",
    "99999999999999999999",
    "7%00",
  ])("parseQuery refuses days=%s where an integer from 1 to 90 is required", (value) => {
    expect(refused(`?days=${value}`)).toEqual(["days"]);
  });

  it.each(["", "+0.5", ".5", "0.", "5e-1", "0,5", "-0.1", "1.1", "Infinity", "NaN", "%D9%A0.5"])(
    "parseQuery refuses share=%s where a decimal from 0 to 1 is required",
    (value) => {
      expect(refused(`?share=${value}`)).toEqual(["share"]);
    },
  );

  it.each(["", "1", "0", "True", "TRUE", "yes", "on", "true%20"])(
    "parseQuery refuses all=%s where true or false is required",
    (value) => {
      expect(refused(`?all=${value}`)).toEqual(["all"]);
    },
  );

  it("parseQuery treats an empty text filter as missing and refuses a malformed one", () => {
    expect(read("?symbol=")).not.toHaveProperty("symbol", expect.anything());
    expect(read("?symbol=%20").symbol).toBeUndefined();
    expect(refused("?symbol=EUR/USD")).toEqual(["symbol"]);
    expect(refused("?symbol=eur%00usd")).toEqual(["symbol"]);
  });

  it("parseQuery refuses a repeated known parameter, even with equal values", () => {
    expect(refused("?days=7&days=7")).toEqual(["days"]);
    expect(refused("?days=7&symbol=eurusd&symbol=")).toEqual(["symbol"]);
  });

  it("parseQuery ignores unknown parameters, repeated or not", () => {
    expect(read("?_=1&_=2&toString=1&__proto__=1&DAYS=0")).toMatchObject({ days: 7 });
  });

  it("parseQuery names every invalid parameter when it refuses a query", () => {
    expect(refused("?days=0&share=2&all=x").sort()).toEqual(["all", "days", "share"]);
  });
});

describe("parseValue", () => {
  const Body = z.object({ name: z.string(), n: z.number(), list: z.array(z.object({ a: z.int() })) });
  const problems = (value: unknown, schema: z.ZodType = Body) => {
    try {
      parseValue("body", schema, value);
    } catch (error) {
      if (error instanceof AppError) return error;
    }
    throw new Error("accepted");
  };

  it("parseValue names each invalid field with its index in a list, and the rule", () => {
    const error = problems({ n: "1", list: [{ a: 1 }, { a: "x" }] });
    expect(error.errors).toEqual([
      { loc: ["body", "name"], msg: "is required", type: "invalid_type" },
      { loc: ["body", "n"], msg: "must be a number", type: "invalid_type" },
      { loc: ["body", "list", 1, "a"], msg: "must be a number", type: "invalid_type" },
    ]);
    expect(error.detail).toBe("name: is required");
  });

  it("parseValue says that a missing field is required, whatever its schema says about wrong values", () => {
    const Strict = z.object({
      n: z.number("must be a number"),
      side: z.enum(["BUY", "SELL"]),
      at: z.union([z.string(), z.number()], "must be a date and time"),
      flag: z.boolean("must be true or false"),
    });
    const messages = (value: unknown) => problems(value, Strict).errors?.map(({ msg }) => msg);
    expect(messages({})).toEqual(["is required", "is required", "is required", "is required"]);
    expect(messages({ n: "1", side: "HOLD", at: true, flag: null })).toEqual([
      "must be a number",
      "must be one of BUY, SELL",
      "must be a date and time",
      "must be true or false",
    ]);
  });

  it("parseValue reports at most twenty invalid fields, and none of their values", () => {
    const list = Array.from({ length: 100 }, () => ({ a: "sent-secret" }));
    const error = problems({ name: 1, n: 1, list });
    expect(error.errors).toHaveLength(20);
    expect(JSON.stringify(error.errors)).not.toContain("sent-secret");
  });
});
