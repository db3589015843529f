import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addOpenMinutes,
  isMarketOpen,
  newYorkHour,
  newYorkWeekday,
  openMinutesBetween,
} from "@/lib/market/calendar";
import { closuresOf } from "@/lib/market/holidays";
import type { CalendarName } from "@/lib/vocabulary";
import { processorMsOf } from "@/tests/support/processor-time";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const BUILT_IN_CALENDARS = ["fx", "metal", "energy", "us_index", "us_share", "crypto"] as const;

const at = (text: string) => new Date(text);

const newYork = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/New_York",
  weekday: "short",
  hour: "2-digit",
  hourCycle: "h23",
});

/** Hour and weekday in New York from the platform's time zone data. */
function referenceClock(instant: Date): { hour: number; weekday: number } {
  const parts = newYork.formatToParts(instant);
  const part = (type: string) => parts.find((found) => found.type === type)!.value;
  return {
    hour: Number(part("hour")),
    weekday: ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"].indexOf(part("weekday")),
  };
}

/** Whether an instant is in a holiday closure of the calendar, by New York time. */
function isHoliday(calendar: CalendarName, instant: Date): boolean {
  const shown = new Date(`${instant.toLocaleString("sv", { timeZone: "America/New_York" })}Z`).getTime();
  const year = new Date(shown).getUTCFullYear();
  return [year, year + 1].some((of) =>
    closuresOf(calendar, of).some(({ fromMs, toMs }) => shown >= fromMs && shown < toMs),
  );
}

/** The specified trading hours, by the reference clock. */
function referenceOpen(calendar: CalendarName, instant: Date): boolean {
  if (calendar === "crypto") return true;
  const { hour, weekday } = referenceClock(instant);
  if (isHoliday(calendar, instant)) return false;
  if (calendar === "us_share") {
    const minutes = hour * 60 + instant.getUTCMinutes();
    return weekday >= 1 && weekday <= 5 && minutes >= 570 && minutes < 960;
  }
  if (weekday === 6 || (weekday === 0 && hour < 17) || (weekday === 5 && hour >= 17)) return false;
  return calendar === "fx" || hour !== 17;
}

const instants = fc.date({ min: at("2000-01-01"), max: at("2040-01-01"), noInvalidDate: true });
const calendars = fc.constantFrom(...BUILT_IN_CALENDARS);

describe("New York time", () => {
  it("New York time matches the time zone data around every clock change from 2000 to 2040", () => {
    for (let year = 2000; year <= 2040; year++) {
      // Clock changes of either rule are between 8 March and 7 April, and between 25 October and 7 November.
      for (const [from, to] of [
        [Date.UTC(year, 2, 7), Date.UTC(year, 3, 9)],
        [Date.UTC(year, 9, 24), Date.UTC(year, 10, 9)],
      ] as const) {
        for (let ms = from; ms < to; ms += HOUR_MS) {
          const instant = new Date(ms);
          const { hour, weekday } = referenceClock(instant);
          if (newYorkHour(instant) !== hour || newYorkWeekday(instant) !== weekday) {
            expect.fail(`${instant.toISOString()} is ${weekday} ${hour} h in New York`);
          }
        }
      }
    }
  });

  it("New York time changes to and from summer time exactly at 02:00 local time", () => {
    expect(newYorkHour(at("2026-03-08T06:59:59.999Z"))).toBe(1);
    expect(newYorkHour(at("2026-03-08T07:00:00Z"))).toBe(3);
    expect(newYorkHour(at("2026-11-01T05:59:59.999Z"))).toBe(1);
    expect(newYorkHour(at("2026-11-01T06:00:00Z"))).toBe(1);
    expect(newYorkHour(at("2006-04-02T06:59:59.999Z"))).toBe(1);
    expect(newYorkHour(at("2006-04-02T07:00:00Z"))).toBe(3);
    expect(newYorkHour(at("2006-10-29T05:59:59.999Z"))).toBe(1);
    expect(newYorkHour(at("2006-10-29T06:00:00Z"))).toBe(1);
  });

  it("New York time matches the time zone data at arbitrary instants", () => {
    fc.assert(
      fc.property(instants, (instant) => {
        expect({ hour: newYorkHour(instant), weekday: newYorkWeekday(instant) }).toEqual(
          referenceClock(instant),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it("newYorkHour and isMarketOpen give the same for epoch milliseconds as for a Date", () => {
    const instant = at("2026-07-01T12:34:56Z");
    expect(newYorkHour(instant.getTime())).toBe(newYorkHour(instant));
    expect(isMarketOpen("fx", instant.getTime())).toBe(isMarketOpen("fx", instant));
  });
});

describe("isMarketOpen", () => {
  it("isMarketOpen matches the stated hours at arbitrary instants", () => {
    fc.assert(
      fc.property(calendars, instants, (calendar, instant) => {
        expect(isMarketOpen(calendar, instant)).toBe(referenceOpen(calendar, instant));
      }),
      { numRuns: 3000 },
    );
  });

  it("FX opens on Sunday 17:00 and closes on Friday 17:00 New York, winter and summer", () => {
    for (const [open, close] of [
      ["2026-01-11T22:00:00Z", "2026-01-16T22:00:00Z"],
      ["2026-07-12T21:00:00Z", "2026-07-17T21:00:00Z"],
    ] as const) {
      expect(isMarketOpen("fx", at(open).getTime() - 1)).toBe(false);
      expect(isMarketOpen("fx", at(open))).toBe(true);
      expect(isMarketOpen("fx", at(close).getTime() - 1)).toBe(true);
      expect(isMarketOpen("fx", at(close))).toBe(false);
    }
  });

  it("metals pause in the 17:00 hour of New York, the opening Sunday included", () => {
    expect(isMarketOpen("metal", at("2026-01-11T22:30:00Z"))).toBe(false);
    expect(isMarketOpen("metal", at("2026-01-11T23:00:00Z"))).toBe(true);
    expect(isMarketOpen("metal", at("2026-01-13T21:59:59Z"))).toBe(true);
    expect(isMarketOpen("metal", at("2026-01-13T22:00:00Z"))).toBe(false);
    expect(isMarketOpen("metal", at("2026-01-13T22:59:59Z"))).toBe(false);
    expect(isMarketOpen("metal", at("2026-01-13T23:00:00Z"))).toBe(true);
  });

  it("isMarketOpen is true for crypto on a Saturday", () => {
    expect(isMarketOpen("crypto", at("2026-01-10T12:00:00Z"))).toBe(true);
  });

  it("isMarketOpen and openMinutesBetween throw a RangeError for an invalid instant", () => {
    for (const calendar of BUILT_IN_CALENDARS) {
      expect(() => isMarketOpen(calendar, new Date(Number.NaN))).toThrow(RangeError);
      expect(() => openMinutesBetween(calendar, at("2026-01-01"), Number.NaN)).toThrow(RangeError);
    }
  });
});

describe("openMinutesBetween", () => {
  it("openMinutesBetween counts 120 hours of FX, 115 of metals and 168 of crypto per week, clock changes included", () => {
    for (const [from, to] of [
      ["2026-01-05T12:00:00Z", "2026-01-12T12:00:00Z"],
      ["2026-03-06T15:00:00Z", "2026-03-13T14:00:00Z"],
      ["2026-10-30T14:00:00Z", "2026-11-06T15:00:00Z"],
    ] as const) {
      expect(openMinutesBetween("fx", at(from), at(to))).toBe(120 * 60);
      expect(openMinutesBetween("metal", at(from), at(to))).toBe(115 * 60);
      expect(openMinutesBetween("crypto", at(from), at(to))).toBe(
        (at(to).getTime() - at(from).getTime()) / MINUTE_MS,
      );
    }
  });

  it("openMinutesBetween counts fractions of minutes, and nothing backwards or over a closed weekend", () => {
    expect(openMinutesBetween("fx", at("2026-01-13T12:00:00Z"), at("2026-01-13T12:00:45Z"))).toBe(0.75);
    expect(openMinutesBetween("fx", at("2026-01-13T12:00:00Z"), at("2026-01-13T11:00:00Z"))).toBe(0);
    expect(openMinutesBetween("fx", at("2026-01-13T12:00:00Z"), at("2026-01-13T12:00:00Z"))).toBe(0);
    expect(openMinutesBetween("fx", at("2026-01-16T22:00:00Z"), at("2026-01-18T22:00:00Z"))).toBe(0);
  });

  it("openMinutesBetween adds up over the parts of a span", () => {
    fc.assert(
      fc.property(calendars, fc.tuple(instants, instants, instants), (calendar, three) => {
        const [a, b, c] = three.sort((x, y) => x.getTime() - y.getTime()) as [Date, Date, Date];
        const parts = openMinutesBetween(calendar, a, b) + openMinutesBetween(calendar, b, c);
        expect(parts).toBeCloseTo(openMinutesBetween(calendar, a, c), 5);
      }),
      { numRuns: 1000 },
    );
  });

  it("openMinutesBetween matches a count minute by minute", () => {
    const stretches = fc.record({
      calendar: calendars,
      startMinute: fc.integer({ min: Date.UTC(2005, 0) / MINUTE_MS, max: Date.UTC(2030, 0) / MINUTE_MS }),
      length: fc.integer({ min: 0, max: 11 * 24 * 60 }),
    });
    const nearChangesOfClocks = fc.record({
      calendar: calendars,
      startMinute: fc
        .tuple(fc.constantFrom(at("2026-03-06T00:00:00Z"), at("2026-10-30T00:00:00Z")), fc.nat(4 * 24 * 60))
        .map(([day, minute]) => day.getTime() / MINUTE_MS + minute),
      length: fc.integer({ min: 0, max: 4 * 24 * 60 }),
    });
    fc.assert(
      fc.property(fc.oneof(stretches, nearChangesOfClocks), ({ calendar, startMinute, length }) => {
        let counted = 0;
        for (let minute = startMinute; minute < startMinute + length; minute++) {
          if (isMarketOpen(calendar, minute * MINUTE_MS)) counted++;
        }
        expect(
          openMinutesBetween(calendar, startMinute * MINUTE_MS, (startMinute + length) * MINUTE_MS),
        ).toBe(counted);
      }),
      { numRuns: 200 },
    );
  });
});

describe("addOpenMinutes with 0, the next opening of a closed market", () => {
  const nextOpening = (calendar: CalendarName, instant: Date) => addOpenMinutes(calendar, instant, 0);

  it("during trading, the next opening is the instant itself", () => {
    for (const calendar of BUILT_IN_CALENDARS) {
      expect(nextOpening(calendar, at("2026-01-13T15:00:00.123Z"))).toEqual(at("2026-01-13T15:00:00.123Z"));
    }
  });

  it("over a weekend, the next opening is Sunday evening, in that Sunday's clock", () => {
    expect(nextOpening("fx", at("2026-01-16T22:00:00Z"))).toEqual(at("2026-01-18T22:00:00Z"));
    expect(nextOpening("fx", at("2026-03-07T12:00:00Z"))).toEqual(at("2026-03-08T21:00:00Z"));
    expect(nextOpening("fx", at("2026-10-31T12:00:00Z"))).toEqual(at("2026-11-01T22:00:00Z"));
    expect(nextOpening("metal", at("2026-03-07T12:00:00Z"))).toEqual(at("2026-03-08T22:00:00Z"));
  });

  it("the next opening of metals in the daily pause is its end", () => {
    expect(nextOpening("metal", at("2026-01-13T22:15:00Z"))).toEqual(at("2026-01-13T23:00:00Z"));
  });

  it("the market is open at the next opening, and closed in the moment before it", () => {
    fc.assert(
      fc.property(calendars, instants, (calendar, instant) => {
        const open = nextOpening(calendar, instant);
        expect(isMarketOpen(calendar, open)).toBe(true);
        expect(openMinutesBetween(calendar, instant, open)).toBe(0);
        if (open.getTime() > instant.getTime())
          expect(isMarketOpen(calendar, open.getTime() - 1)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("addOpenMinutes", () => {
  it("addOpenMinutes returns the last instant with that many open minutes before it", () => {
    fc.assert(
      fc.property(calendars, instants, fc.integer({ min: 0, max: 50_000 }), (calendar, from, minutes) => {
        const end = addOpenMinutes(calendar, from, minutes);
        expect(openMinutesBetween(calendar, from, end)).toBe(minutes);
        expect(openMinutesBetween(calendar, from, end.getTime() + 1)).toBeGreaterThan(minutes);
      }),
      { numRuns: 1000 },
    );
  });

  it("addOpenMinutes throws a RangeError for a negative, NaN or infinite span", () => {
    for (const minutes of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => addOpenMinutes("fx", at("2026-01-13T12:00:00Z"), minutes)).toThrow(RangeError);
    }
  });
});

it("a million isMarketOpen and 100,000 openMinutesBetween over 45 days take less than two seconds of processor time", () => {
  const startMs = Date.UTC(2020, 0, 1);
  let open = 0;
  let minutes = 0;
  const checkedMs = processorMsOf(() => {
    for (let i = 0; i < 1_000_000; i++) if (isMarketOpen("metal", startMs + i * 3 * MINUTE_MS)) open++;
  });
  const countedMs = processorMsOf(() => {
    for (let i = 0; i < 100_000; i++) {
      const fromMs = startMs + i * 30 * MINUTE_MS;
      minutes += openMinutesBetween("fx", fromMs, fromMs + 45 * DAY_MS);
    }
  });
  console.log(
    `1,000,000 isMarketOpen: ${checkedMs.toFixed(0)} ms; 100,000 openMinutesBetween: ${countedMs.toFixed(0)} ms`,
  );
  // Holidays reduce it slightly.
  expect(open / 1_000_000).toBeLessThan(115 / 168);
  expect(open / 1_000_000).toBeCloseTo(115 / 168, 1);
  expect(minutes).toBeGreaterThan(0);
  expect(checkedMs + countedMs).toBeLessThan(2_000);
});
