import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "@/lib/wire/errors";
import { readJson, writeJson, writeNumber } from "@/lib/wire/json";

/** The `type` of the first problem in the refusal of a text. */
function refusal(text: string): string | undefined {
  try {
    readJson(text);
  } catch (error) {
    if (error instanceof AppError && error.status === 422) return error.errors?.[0]?.type;
    throw error;
  }
  return undefined;
}

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("writeJson", () => {
  it.each([
    [1e-7, "0.0000001"],
    [1.5e-9, "0.0000000015"],
    [-2.5e-7, "-0.00000025"],
    [5e-324, `0.${"0".repeat(323)}5`],
    [1e21, "1000000000000000000000"],
    [1.2345e22, "12345000000000000000000"],
    [-0, "0"],
    [0.1, "0.1"],
    [-1.25, "-1.25"],
    [1e15, "1000000000000000"],
  ])("writeJson writes the number %s as %s", (value, text) => {
    expect(writeJson(value)).toBe(text);
  });

  it("writeNumber writes every finite number without an exponent, round-trip exact", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = writeNumber(value);
        expect(text).toMatch(/^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/);
        expect(Number(text)).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    "writeJson throws a RangeError for %s",
    (value) => {
      expect(() => writeJson({ value })).toThrow(RangeError);
    },
  );

  it("writeJson writes instants as whole seconds in UTC", () => {
    expect(writeJson(new Date(Date.UTC(2026, 10, 21, 5, 7, 0, 999)))).toBe('"2026-11-21T05:07:00Z"');
    expect(() => writeJson(new Date(Number.NaN))).toThrow(RangeError);
  });

  it("writeJson writes 64-bit integers in full", () => {
    expect(writeJson({ ticket: 9_223_372_036_854_775_807n })).toBe('{"ticket":9223372036854775807}');
  });

  it("writeJson writes undefined as null and keeps the key order, without blanks", () => {
    expect(writeJson({ b: undefined, a: [1, null, { z: true }], text: 'a"b/ü' })).toBe(
      '{"b":null,"a":[1,null,{"z":true}],"text":"a\\"b/ü"}',
    );
  });

  it("JSON.parse reads what writeJson writes of any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(JSON.parse(writeJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe("readJson", () => {
  it("readJson drops a BOM, white space and trailing NULs around the body", () => {
    expect(readJson('\uFEFF \r\n{"a":1}\0')).toEqual({ a: 1 });
    expect(readJson('{"a":1} \0\0 \n\0')).toEqual({ a: 1 });
    expect(readJson('\n\uFEFF{"a":1}')).toEqual({ a: 1 });
  });

  it.each([
    ["between tokens", '{"a"\0:1}'],
    ["inside a string", '{"a":"x\0y"}'],
    ["escaped in a string", '{"a":"x\\u0000y"}'],
    ["escaped in a key", '{"x\\u0000":1}'],
  ])("readJson refuses a NUL %s", (_, text) => {
    expect(refusal(text)).toBe("json_nul");
  });

  it("readJson does not mistake an escaped backslash before u0000 for a NUL", () => {
    expect(readJson('{"a":"x\\\\u0000"}')).toEqual({ a: "x\\u0000" });
  });

  it("readJson reads 20 levels of nesting and refuses the 21st", () => {
    expect(readJson(nested(20))).toBeInstanceOf(Array);
    expect(refusal(nested(21))).toBe("json_too_deep");
  });

  it("readJson does not count brackets inside strings as nesting", () => {
    expect(readJson(JSON.stringify({ a: "[".repeat(100) }))).toEqual({ a: "[".repeat(100) });
  });

  it("readJson refuses a hundred thousand open brackets in under 5 seconds", () => {
    const startedAt = performance.now();
    expect(refusal("[".repeat(100_000))).toBe("json_too_deep");
    expect(refusal('{"a":'.repeat(100_000))).toBe("json_too_deep");
    // A quadratic check would take minutes.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it("readJson takes under 10 seconds for 4 MB of blanks inside or before a value", () => {
    const startedAt = performance.now();
    expect(readJson(`{"a":"${" ".repeat(4_000_000)}"}`)).toHaveProperty("a");
    expect(refusal(`${" ".repeat(4_000_000)}x`)).toBe("json_invalid");
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it("readJson keeps integers beyond double precision as text of their digits", () => {
    expect(readJson('{"t":9223372036854775807,"n":[-9223372036854775808],"small":123456789012345}')).toEqual({
      t: "9223372036854775807",
      n: ["-9223372036854775808"],
      small: 123456789012345,
    });
    expect(readJson('{"t":"9223372036854775807 "}')).toEqual({ t: "9223372036854775807 " });
  });

  it("readJson reads 1e400 as infinity", () => {
    expect(readJson('{"pnl":1e400}')).toEqual({ pnl: Number.POSITIVE_INFINITY });
  });

  it("readJson uses the last of two equal keys", () => {
    expect(readJson('{"a":1,"a":2}')).toEqual({ a: 2 });
  });

  it("readJson replaces lone surrogates, and keeps pairs and escaped backslashes", () => {
    expect(readJson('{"a\\udc00":["\\ud800","\\ud83d\\ude00","\\\\ud800"]}')).toEqual({
      "a\ufffd": ["\ufffd", "\u{1F600}", "\\ud800"],
    });
  });

  it("readJson treats __proto__ as an ordinary key", () => {
    const value = readJson('{"__proto__":{"polluted":true},"constructor":1}');
    expect(Object.keys(Object(value))).toEqual(["__proto__", "constructor"]);
    expect(Object(value)).not.toHaveProperty("polluted");
    expect({}).not.toHaveProperty("polluted");
  });

  it.each([
    "",
    " ",
    "\0",
    "{",
    "{]",
    '{"a":1',
    "{'a':1}",
    '{"a":01}',
    '{"a":00000000000000001}',
    '{"a":1,}',
    "nul",
    '{"a":1}{"b":2}',
    '"open',
    "NaN",
    '{"a":Infinity}',
  ])("readJson refuses %j as invalid JSON", (text) => {
    expect(refusal(text)).toBe("json_invalid");
  });

  it.each([
    ['{"ticket":1,"pnl":nan,"x":2}', "pnl"],
    ['{"ticket":1,"pnl":-nan(ind)}', "pnl"],
    ['{"ticket":1,"pnl":1.#QNAN}', "pnl"],
    ['{"ticket":1,"pnl":12,5,"x":2}', "pnl"],
    ['{"ticket":1,"pnl":.5}', "pnl"],
    ['{"ticket":1,"magic":007}', "magic"],
    ['{"ticket":1,"comment":"C:\\Metatrader","x":2}', "comment"],
    ['{"ticket":1,"comment":"a\tb"}', "comment"],
    ['{"ticket":1,"pnl":1,}', "pnl"],
    ['{"ticket":1,"is":True}', "is"],
    ['{"ticket":1,"deep":{"a":nan}}', null],
    ["{'ticket':1}", null],
    ['{"two words":nan}', null],
  ])("readJson names the field at which %j stops being JSON", (text, field) => {
    try {
      readJson(text);
      expect.unreachable();
    } catch (error) {
      const [first] = (error as AppError).errors ?? [];
      expect([first?.type, first?.loc]).toEqual([
        "json_invalid",
        field === null ? ["body"] : ["body", field],
      ]);
    }
  });

  it("readJson says that a truncated body ends too early, and asks for UTF-8 instead of UTF-16", () => {
    const said = (text: string) => {
      try {
        return readJson(text);
      } catch (error) {
        return (error as AppError).errors?.[0]?.msg;
      }
    };
    expect(said('{"ticket":1,"pnl":1')).toMatch(/ends too early/);
    expect(said(`${[...'{"ticket":1}'].join("\0")}\0`)).toMatch(/UTF-16: send UTF-8/);
    expect(said(`ÿþ${[...'{"ticket":1}'].join("\0")}\0`)).toMatch(/UTF-16: send UTF-8/);
    expect(said('{"ticket":1}\0')).toEqual({ ticket: 1 });
  });

  it.each([
    ["", "is empty: send JSON"],
    [" \0", "is empty: send JSON"],
    ["ticket=1&symbol=EURUSD", "is a form: send JSON"],
    ['--x\r\nContent-Disposition: form-data; name="ticket"\r\n\r\n1\r\n--x--', "is a form: send JSON"],
    ['{"ticket":1,"entry_price":1,0842}', /: numbers need a decimal point, and NaN is not JSON$/],
    ['{"ticket":1,"entry_price":12,5,"pnl":2}', /: numbers need a decimal point, and NaN is not JSON$/],
    ['{"ticket":1,"pnl":NaN}', /: numbers need a decimal point, and NaN is not JSON$/],
    ['{"ticket":1,"pnl":-inf}', /: numbers need a decimal point, and NaN is not JSON$/],
    ['{"ticket":1,"is":True}', "is where the body stops being JSON"],
    ['{"ticket":1,"pnl":1,}', "is where the body stops being JSON"],
  ])("readJson says how to mend %j", (text, msg) => {
    try {
      readJson(text);
      expect.unreachable();
    } catch (error) {
      const [first] = (error as AppError).errors ?? [];
      expect(first).toMatchObject({ msg: expect.stringMatching(msg), type: "json_invalid" });
    }
  });

  it("readJson refuses invalid text only with 422, for any input", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        refusal(text);
      }),
    );
  });

  it("readJson keeps a negative integer of 15 digits as a number, and one of 16 digits exactly, as text", () => {
    expect(readJson("[-571154386678894,-5711543866788941]")).toEqual([-571154386678894, "-5711543866788941"]);
  });

  it("readJson reads everything that JSON.stringify writes, like JSON.parse", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!/[0-9]{16}/.test(text) && !text.includes("\\u0000"));
        expect(readJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});
