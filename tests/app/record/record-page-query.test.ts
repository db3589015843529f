import { describe, expect, it } from "vitest";
import {
  formatPeriod,
  parseRecordPageQuery,
  SLOT_SORT_ORDERS,
  type SlotSortOrder,
  sortSlots,
  toRecordQuery,
} from "@/app/(site)/_record/record-page-query";
import { cacheableQuery } from "@/app/pages";
import { sampleSlot } from "@/tests/support/record-sample";

const NOW = new Date("2026-11-22T10:00:00Z");
const ask = (given: Record<string, unknown>) => toRecordQuery(parseRecordPageQuery(given), NOW);

describe("the query string of the record", () => {
  it("an empty query string selects everything", () => {
    expect(ask({})).toEqual({});
  });

  it("the query string selects slot, model and a period of days ending today", () => {
    expect(ask({ symbol: "eurusd", tf: "h1", model: "m1", period: "30" })).toEqual({
      symbol: "EURUSD",
      tf_code: "H1",
      model_v: "m1",
      from: "2026-10-24",
    });
  });

  it.each([
    ["2026-02", "2026-02-01", "2026-02-28"],
    ["2024-02", "2024-02-01", "2024-02-29"],
    ["2026-12", "2026-12-01", "2026-12-31"],
  ])("%s is read as the whole of that month", (period, from, to) => {
    expect(ask({ period })).toEqual({ from, to });
  });

  it("invalid values are ignored, and an unknown timeframe makes the query null", () => {
    expect(ask({ period: "2026-13", sort: "luck", model: "\0" })).toEqual({});
    expect(ask({ symbol: ["EURUSD", "GBPUSD"] })).toEqual({});
    expect(ask({ tf: "H9" })).toBeNull();
  });

  it("the selected period is described in words", () => {
    expect([undefined, "90", "2026-09"].map(formatPeriod)).toEqual([
      "All time",
      "Last 90 days",
      "September 2026",
    ]);
  });

  it("the page cache keeps the parameters that a page of the record reads, and drops others", () => {
    const all = "symbol=EURUSD&tf=H1&model=m1&period=30&sort=win&order=asc&table=equity&trades=best";
    expect(cacheableQuery("/record", `/record?${all}`)).toBe(`?${all}`);
    expect(cacheableQuery("/record/[symbol]/[tf]", "/record/A/H1?after=7&table=drawdown&sort=win")).toBe(
      "?after=7&table=drawdown",
    );
    expect(cacheableQuery("/", "/?symbol=EURUSD")).toBe("");
  });
});

describe("the order of the slots", () => {
  const few = sampleSlot({ symbol: "AUDUSD", n: 10, totalR: 90 });
  const slots = [
    sampleSlot({ symbol: "XAUUSD", totalR: 5, coinR: 30, skill: -0.02 }),
    sampleSlot({ symbol: "EURUSD", tf_code: "H4", totalR: -8 }),
    few,
    sampleSlot({ symbol: "EURUSD", tf_code: "M15", totalR: 20, skill: 0.05 }),
  ];
  const names = (sort?: SlotSortOrder, order?: "asc" | "desc") =>
    sortSlots(slots, sort, order).map(({ symbol, tf_code }) => `${symbol} ${tf_code}`);

  it("slots are sorted by symbol and length of timeframe by default", () => {
    expect(names()).toEqual(["AUDUSD H1", "EURUSD M15", "EURUSD H4", "XAUUSD H1"]);
  });

  it("slots are sorted by a column in either direction, with slots of too few results last", () => {
    expect(names("total")).toEqual(["AUDUSD H1", "EURUSD M15", "XAUUSD H1", "EURUSD H4"]);
    expect(names("total", "asc")[0]).toBe("EURUSD H4");
    expect(names("coin").at(-1)).toBe("XAUUSD H1");
    for (const order of ["asc", "desc"] as const) expect(names("mean", order).at(-1)).toBe("AUDUSD H1");
    expect(names("skill")[0]).toBe("EURUSD M15");
  });

  it("slots can be sorted by every offered column", () => {
    for (const sort of Object.keys(SLOT_SORT_ORDERS) as SlotSortOrder[]) expect(names(sort)).toHaveLength(4);
  });
});
