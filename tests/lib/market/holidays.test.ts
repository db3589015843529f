import { describe, expect, it } from "vitest";
import { addOpenMinutes, isMarketOpen, openMinutesBetween } from "@/lib/market/calendar";
import { slotFreshness } from "@/lib/market/freshness";
import { closuresOf, easterSundayMs } from "@/lib/market/holidays";
import { newSymbolDefaults } from "@/lib/market/symbols";

const at = (text: string) => new Date(text);

/** NYSE holidays from its published calendars. */
const NYSE: Record<number, string> = {
  2021: "01-01 01-18 02-15 04-02 05-31 07-05 09-06 11-25 12-24",
  2022: "01-17 02-21 04-15 05-30 06-20 07-04 09-05 11-24 12-26",
  2023: "01-02 01-16 02-20 04-07 05-29 06-19 07-04 09-04 11-23 12-25",
  2024: "01-01 01-15 02-19 03-29 05-27 06-19 07-04 09-02 11-28 12-25",
  2025: "01-01 01-20 02-17 04-18 05-26 06-19 07-04 09-01 11-27 12-25",
  2026: "01-01 01-19 02-16 04-03 05-25 06-19 07-03 09-07 11-26 12-25",
};
/** Days on which the NYSE closes early, at 13:00 in New York. */
const NYSE_EARLY: Record<number, string> = {
  2021: "11-26",
  2022: "11-25",
  2023: "07-03 11-24",
  2024: "07-03 11-29 12-24",
  2025: "07-03 11-28 12-24",
  2026: "11-27 12-24",
};

/**
 * Weekdays of a year on which US shares do not trade half an hour after this hour in New York (in winter half an hour
 * before it).
 */
function closedDays(year: number, hour: number): string {
  const days: string[] = [];
  for (let ms = Date.UTC(year, 0, 1); ms < Date.UTC(year + 1, 0, 1); ms += 86_400_000) {
    const weekday = new Date(ms).getUTCDay();
    if (weekday === 0 || weekday === 6) continue;
    const isOpen = isMarketOpen("us_share", ms + (hour + 4.5) * 3_600_000);
    if (!isOpen) days.push(new Date(ms).toISOString().slice(5, 10));
  }
  return days.join(" ");
}

describe("US shares", () => {
  it.each(Object.keys(NYSE).map(Number))(
    "US shares have the NYSE's holidays and early closes of %i",
    (year) => {
      expect(closedDays(year, 11)).toBe(NYSE[year]);
      const early = closedDays(year, 15).split(" ");
      expect(early.filter((day) => !NYSE[year]?.includes(day)).join(" ")).toBe(NYSE_EARLY[year]);
    },
  );

  it("US shares trade from 9:30 to 16:00", () => {
    expect(openMinutesBetween("us_share", at("2026-01-05T00:00:00Z"), at("2026-01-10T00:00:00Z"))).toBe(
      5 * 390,
    );
    expect(addOpenMinutes("us_share", at("2026-11-25T21:00:00Z"), 1)).toEqual(at("2026-11-27T14:31:00Z"));
  });
});

describe("holidays of the built-in calendars", () => {
  it.each<[string, Parameters<typeof isMarketOpen>[0], string, boolean]>([
    ["FX before Christmas", "fx", "2025-12-24T21:59:00Z", true],
    ["FX on Christmas", "fx", "2025-12-25T15:00:00Z", false],
    ["FX after Christmas", "fx", "2025-12-25T22:00:00Z", true],
    ["FX on Good Friday", "fx", "2026-04-03T15:00:00Z", true],
    ["FX on New Year's Eve, after 17:00", "fx", "2025-12-31T22:30:00Z", false],
    ["FX on New Year, after 17:00", "fx", "2026-01-01T22:30:00Z", true],
    ["gold on Good Friday", "metal", "2026-04-03T15:00:00Z", false],
    ["gold on Thanksgiving before 14:30", "metal", "2026-11-26T19:29:00Z", true],
    ["gold on Thanksgiving after 14:30", "metal", "2026-11-26T19:30:00Z", false],
    ["gold on the evening of Thanksgiving", "metal", "2026-11-26T23:00:00Z", true],
    ["oil on Labor Day's evening", "energy", "2026-09-07T22:30:00Z", true],
    ["an index on Labor Day's afternoon", "us_index", "2026-09-07T17:30:00Z", false],
    ["an index on the eve of Christmas", "us_index", "2025-12-24T18:30:00Z", false],
    ["Bitcoin on Christmas", "crypto", "2025-12-25T15:00:00Z", true],
  ])("%s: isMarketOpen of the calendar %s at %s is %s", (_what, calendar, instant, isOpen) => {
    expect(isMarketOpen(calendar, at(instant))).toBe(isOpen);
  });

  it("holidays do not count towards a signal's age", () => {
    const eve = {
      symbol: "EURUSD",
      calendar: "fx",
      timeframe: "H1",
      lastTs: at("2025-12-24T21:00:00Z"),
    } as const;
    expect(slotFreshness({ ...eve, now: at("2025-12-25T22:10:00Z") })).toMatchObject({
      ageMinutes: 10,
      stale: false,
    });
    expect(slotFreshness({ ...eve, calendar: "crypto", now: at("2025-12-25T22:10:00Z") }).stale).toBe(true);
  });

  it("holidays are skipped when adding time, in five calendars from 2000 to 2039", () => {
    for (const calendar of ["fx", "metal", "energy", "us_index", "us_share"] as const) {
      for (let year = 2000; year < 2040; year++) {
        for (const { fromMs } of closuresOf(calendar, year)) {
          const from = fromMs - 7_200_000 * 3;
          for (const minutes of [0, 60, 600, 3_000]) {
            const then = addOpenMinutes(calendar, from, minutes);
            expect(openMinutesBetween(calendar, from, then)).toBeCloseTo(minutes, 6);
            expect(isMarketOpen(calendar, then)).toBe(true);
          }
        }
      }
    }
  });

  it("holidays do not overlap in five calendars from 1990 to 2100, so no time is subtracted twice", () => {
    for (const calendar of ["fx", "metal", "energy", "us_index", "us_share"] as const) {
      const all = Array.from({ length: 111 }, (_, i) => closuresOf(calendar, 1990 + i)).flat();
      for (const [i, { fromMs }] of all.entries())
        expect(fromMs).toBeGreaterThanOrEqual(all[i - 1]?.toMs ?? 0);
    }
  });
});

it("Easter matches the church calendar", () => {
  for (const date of [
    "2000-04-23",
    "2008-03-23",
    "2011-04-24",
    "2019-04-21",
    "2024-03-31",
    "2026-04-05",
    "2038-04-25",
  ])
    expect(easterSundayMs(Number(date.slice(0, 4)))).toBe(Date.parse(date));
});

it.each([
  ["USOIL", "energy"],
  ["XBRUSD", "energy"],
  ["NATGAS", "energy"],
  ["US30", "us_index"],
  ["NAS100", "us_index"],
  ["US500", "us_index"],
  ["AAPL.US", "us_share"],
  ["MSFT.NAS", "us_share"],
  ["EURUSD", "fx"],
  ["XAUUSD", "metal"],
  ["BTCUSD", "crypto"],
  ["US30USD", "us_index"],
])("a new symbol %s has the calendar %s", (symbol, calendar) => {
  expect(newSymbolDefaults(symbol).calendar).toBe(calendar);
});
