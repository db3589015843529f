import { afterEach, describe, expect, it } from "vitest";
import { addOpenMinutes, isMarketOpen, openMinutesBetween, openMinutesOfDay } from "@/lib/market/calendar";
import {
  closuresWithOverrides,
  type DayOverride,
  listUnusualDays,
  setDayOverrides,
} from "@/lib/market/day-overrides";
import { nextCandleCloseAt, slotFreshness } from "@/lib/market/freshness";

const at = (text: string) => new Date(text);
const said = (
  calendar: DayOverride["calendar"],
  day: string,
  kind: DayOverride["kind"],
  closesAt: string | null = null,
): DayOverride => ({ calendar, day, kind, closesAt });

afterEach(() => setDayOverrides([]));

describe("calendar days set by an operator", () => {
  it("a day set as closed: nothing is due or stale, and the next close is on the following day", () => {
    // A Wednesday; in summer New York is four hours behind UTC.
    const ordinary = nextCandleCloseAt("us_share", "H1", at("2026-07-15T15:00:00Z"));
    expect(ordinary).toEqual(at("2026-07-15T16:00:00Z"));
    setDayOverrides([said("us_share", "2026-07-15", "closed")]);
    expect(isMarketOpen("us_share", at("2026-07-15T15:00:00Z"))).toBe(false);
    expect(nextCandleCloseAt("us_share", "H1", at("2026-07-15T15:00:00Z"))).toEqual(
      at("2026-07-16T14:00:00Z"),
    );
    const slot = {
      symbol: "AAPL",
      calendar: "us_share",
      timeframe: "H1",
      lastTs: at("2026-07-14T19:00:00Z"),
      now: at("2026-07-15T21:00:00Z"),
    } as const;
    expect(slotFreshness(slot)).toMatchObject({ marketOpen: false, stale: false });
    setDayOverrides([]);
    expect(slotFreshness(slot).stale).toBe(true);
  });

  it("a day set to close early ends at that time", () => {
    setDayOverrides([said("fx", "2026-07-15", "early", "12:00")]);
    expect(isMarketOpen("fx", at("2026-07-15T15:59:00Z"))).toBe(true);
    expect(isMarketOpen("fx", at("2026-07-15T16:00:00Z"))).toBe(false);
    expect(isMarketOpen("fx", at("2026-07-15T21:00:00Z"))).toBe(true);
    expect(addOpenMinutes("fx", at("2026-07-15T15:30:00Z"), 40)).toEqual(at("2026-07-15T21:10:00Z"));
    // Other calendars are unaffected.
    expect(isMarketOpen("metal", at("2026-07-15T17:00:00Z"))).toBe(true);
  });

  it("a day set as open makes a holiday of the rules a trading day", () => {
    const christmas = [at("2025-12-24T22:00:00Z"), at("2025-12-25T22:00:00Z")] as const;
    expect(openMinutesBetween("fx", ...christmas)).toBe(0);
    setDayOverrides([said("fx", "2025-12-25", "open")]);
    expect(openMinutesBetween("fx", ...christmas)).toBe(24 * 60);
  });

  it("a day set as closed for crypto closes the UTC day", () => {
    setDayOverrides([said("crypto", "2026-07-15", "closed")]);
    expect(openMinutesBetween("crypto", at("2026-07-14T00:00:00Z"), at("2026-07-17T00:00:00Z"))).toBe(
      2 * 1440,
    );
  });

  it("openMinutesOfDay equals openMinutesBetween over the same day, also for days set by an operator", () => {
    const days = [said("metal", "2026-11-26", "early", "10:00"), said("metal", "2026-11-27", "open")];
    setDayOverrides(days);
    for (const day of ["2026-11-25", "2026-11-26", "2026-11-27"]) {
      const from = Date.parse(`${day}T22:00:00Z`) - 24 * 3_600_000;
      expect(openMinutesBetween("metal", from, from + 24 * 3_600_000), day).toBe(
        openMinutesOfDay(days, "metal", day),
      );
    }
    expect(openMinutesOfDay(days, "metal", "2026-11-28")).toBe(0);
  });

  it("closures by days set by an operator do not overlap with those by the rules", () => {
    const days = [said("us_index", "2026-11-26", "closed"), said("us_index", "2026-11-27", "closed")];
    const closures = closuresWithOverrides(days, "us_index", 2026);
    for (const [i, closure] of closures.entries())
      if (i > 0) expect(closure.fromMs).toBeGreaterThanOrEqual(closures[i - 1]!.toMs);
  });
});

describe("holidays of the rules", () => {
  it("listUnusualDays returns a calendar's holidays of two years from a day on, and none for crypto", () => {
    const days = listUnusualDays("us_share", at("2026-11-22T00:00:00Z"), 2);
    expect(days.slice(0, 4)).toEqual([
      { day: "2026-11-26", name: "Thanksgiving", closesAt: null },
      { day: "2026-11-27", name: "Day after Thanksgiving", closesAt: "13:00" },
      { day: "2026-12-24", name: "Christmas Eve", closesAt: "13:00" },
      { day: "2026-12-25", name: "Christmas", closesAt: null },
    ]);
    expect(days.at(-1)?.day.slice(0, 4)).toBe("2028");
    expect(days.every(({ day }) => day < "2028-11-22")).toBe(true);
    expect(listUnusualDays("crypto", at("2026-11-22T00:00:00Z"), 2)).toEqual([]);
  });
});
