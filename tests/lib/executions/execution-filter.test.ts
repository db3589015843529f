import { describe, expect, it } from "vitest";
import { ExecutionQuery, filterOf } from "@/lib/executions/execution-filter";

const reader = { subscriptionId: 1, preferences: {} };
const now = new Date("2026-11-21T12:00:00Z");
const filter = (query: Record<string, string | string[]>) =>
  filterOf(ExecutionQuery.parse(query), reader, now);

describe("the execution filter in the query string", () => {
  it("the execution filter reads opening days in the chosen clock", () => {
    const query = ExecutionQuery.parse({ from: "2026-07-01", to: "2026-07-01" });
    const on = (preferences: Parameters<typeof filterOf>[1]["preferences"]) => {
      const { from, to } = filterOf(query, { subscriptionId: 1, preferences }, now);
      return [from?.toISOString(), to?.toISOString()];
    };
    expect(on({ clock: "local", timeZone: "Asia/Tokyo" })).toEqual([
      "2026-06-30T15:00:00.000Z",
      "2026-07-01T15:00:00.000Z",
    ]);
    expect(on({ clock: "broker" })).toEqual(["2026-06-30T21:00:00.000Z", "2026-07-01T21:00:00.000Z"]);
    expect(on({ clock: "broker", brokerOffsetMinutes: 120 })).toEqual([
      "2026-06-30T22:00:00.000Z",
      "2026-07-01T22:00:00.000Z",
    ]);
  });

  it("the execution filter reads opening days in UTC by default, both included", () => {
    expect(filter({ from: "2026-02-28", to: "2026-02-28" })).toMatchObject({
      from: new Date("2026-02-28T00:00:00Z"),
      to: new Date("2026-03-01T00:00:00Z"),
    });
  });

  it.each(["2026-02-30", "2025-02-29", "2026-13-01", "9999-12-31", "0001-01-01", "2026-2-3", "x", ""])(
    "the execution filter ignores the invalid day %j",
    (day) => {
      const { from, to, closedOn } = filter({ from: day, to: day, closed_on: day });
      expect([from, to, closedOn]).toEqual([undefined, undefined, undefined]);
    },
  );

  it.each(["TP", "=CMD|' /C", "ÜBERNACHT", "WEIRD RESULT"])(
    "the execution filter takes any text as the result to search for, such as %j",
    (result) => {
      expect(filter({ result }).result).toBe(result);
    },
  );

  it.each(["TP\0", "x".repeat(65), ["TP", "SL"]])(
    "the execution filter ignores the result %j, which no report can contain",
    (result) => {
      expect(filter({ result }).result).toBeUndefined();
    },
  );
});
