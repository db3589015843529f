import { describe, expect, it } from "vitest";
import { OPERATIONS } from "@/app/operations.generated";
import { exampleOf } from "@/lib/api/openapi/example-of";
import { makeReference } from "@/lib/api/openapi/reference";
import { ERRORS } from "@/lib/wire/errors";

const groups = makeReference(OPERATIONS, "https://signals.example.test");
const operations = groups.flatMap((group) => group.operations);
const find = (id: string) => {
  const found = operations.find((operation) => operation.id === id);
  if (!found) throw new Error(`no ${id}`);
  return found;
};

describe("the API reference", () => {
  it("the API reference lists every operation once, with its own anchor", () => {
    expect(operations.map(({ id }) => id).sort()).toEqual(OPERATIONS.map(({ id }) => id).sort());
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  });

  it("the API reference lists each parameter with its type, bounds and default", () => {
    expect(find("getSlotHistory").parameters).toEqual([
      {
        name: "symbol",
        type: "string, in the path",
        required: true,
        meaning: "Symbol, in upper or lower case.",
      },
      {
        name: "tf",
        type: "string, in the path",
        required: true,
        meaning: "Timeframe, in upper or lower case.",
      },
      { name: "limit", type: "integer", required: false, meaning: "From 1 to 1000. Without it: 200." },
      { name: "expand", type: '"levels"', required: false, meaning: "" },
    ]);
  });

  it("the API reference lists the nested fields of an answer, and which are optional", () => {
    const fields = find("scan").answer.fields;
    expect(fields.find(({ name }) => name === "items[].prob_buy")).toMatchObject({ required: true });
    expect(fields.find(({ name }) => name === "items[].valid_until")).toMatchObject({ required: false });
    expect(fields.find(({ name }) => name === "items")?.type).toBe("list of objects");
    expect(find("getAccount").answer.fields.find(({ name }) => name === "ea_status.mins_since")?.type).toBe(
      "number or null",
    );
  });

  it("the API reference has a complete curl command for an operation, with a key only where one is needed", () => {
    expect(find("getSlotHistory").curl).toBe(
      'curl "https://signals.example.test/api/signals/EURUSD/H1" \\\n  -H "X-API-Key: $API_KEY"',
    );
    expect(find("reportExecution").curl).toMatch(/-X POST .*Content-Type.*"ticket":1234567890123/s);
    expect(find("getHealth").curl).not.toContain("-H");
  });

  it("the API reference lists each operation's errors with their status", () => {
    for (const { errors } of operations)
      for (const { code, status } of errors) expect(status).toBe(ERRORS[code].status);
    expect(find("scan").errors.map(({ code }) => code)).toContain("key_expired");
  });
});

describe("example answers", () => {
  const numbers = (id: string, list: string) => {
    const example = find(id).answer.example as Record<string, Record<string, number>[]>;
    return example[list]?.[0] ?? {};
  };

  it("the figures of the API reference's example answers are consistent with each other", () => {
    const { prob_buy = 0, prob_sell = 0, prob_no = 0 } = numbers("scan", "items");
    expect(prob_buy + prob_sell + prob_no).toBeCloseTo(1, 6);
    expect(new Set([prob_buy, prob_sell, prob_no]).size).toBe(3);
    const {
      n_total = 0,
      n_buy = 0,
      n_sell = 0,
      n_no_trade = 0,
      directional_pct,
    } = numbers("getPredictions", "items");
    expect(n_buy + n_sell + n_no_trade).toBe(n_total);
    expect(directional_pct).toBeCloseTo((100 * (n_buy + n_sell)) / n_total, 2);
    const record = numbers("getPerformance", "items");
    expect((100 * (record.n_wins ?? 0)) / (record.n_resolved ?? 0)).toBeCloseTo(record.win_rate_pct ?? 0, 2);
    expect((record.total_r ?? 0) / (record.n_resolved ?? 0)).toBeCloseTo(record.expectancy_r ?? 0, 3);
    const { summary } = find("listAccountExecutions").answer.example as { summary: Record<string, number> };
    const { gross_profit = 0, gross_loss = 0, total_pnl, profit_factor } = summary;
    expect(gross_profit - gross_loss).toBeCloseTo(total_pnl ?? 0, 9);
    expect(gross_profit / gross_loss).toBeCloseTo(profit_factor ?? 0, 2);
  });

  it("building an example answer fails for a field without an example value", () => {
    const schema = { type: "object", properties: { fresh: { type: "string" } } };
    expect(() => exampleOf(schema, { resolve: () => ({}), fields: {} }, "Thing")).toThrow(
      /Thing\.fresh needs/,
    );
    expect(exampleOf(schema, { resolve: () => ({}), fields: { "Thing.fresh": "yes" } }, "Thing")).toEqual({
      fresh: "yes",
    });
  });
});
