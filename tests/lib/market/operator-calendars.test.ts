import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  addOpenMinutes,
  clockChangeWhileOpen,
  isMarketOpen,
  openMinutesBetween,
} from "@/lib/market/calendar";
import { listUnusualDays } from "@/lib/market/day-overrides";
import { closuresOf } from "@/lib/market/holidays";
import { type OperatorCalendar, parseHours, setOperatorCalendars } from "@/lib/market/operator-calendars";
import { newSymbolDefaults } from "@/lib/market/symbols";

const at = (text: string) => new Date(`${text}Z`);
const XETRA: OperatorCalendar = {
  name: "xetra",
  title: "Xetra",
  timeZone: "Europe/Berlin",
  hours: ["Mon-Fri 09:00-17:30"],
  holidays: ["12-25", "easter-2", "first monday 05", "last friday 10"],
};
const OSAKA: OperatorCalendar = {
  name: "osaka",
  title: "Osaka",
  timeZone: "Asia/Tokyo",
  hours: ["Mon-Fri 08:45-15:45", "Mon-Fri 17:00-06:00"],
  holidays: ["01-01"],
};

const LONDON: OperatorCalendar = {
  name: "london",
  title: "London",
  timeZone: "Europe/London",
  hours: ["Mon-Fri 08:00-16:30"],
  holidays: ["01-01 Observed", "12-25 observed", "12-26 observed"],
};

const YEAR_END: OperatorCalendar = {
  name: "year_end",
  title: "Closed at the end of the year",
  timeZone: "UTC",
  hours: ["Mon-Fri 08:00-16:30"],
  holidays: ["01-02", "12-31 observed", "01-01 observed"],
};

beforeAll(() => setOperatorCalendars([XETRA, OSAKA, LONDON, YEAR_END]));
afterAll(() => setOperatorCalendars([]));

const closedIn = (calendar: string, year: number) =>
  closuresOf(calendar, year).map(({ fromMs }) => new Date(fromMs).toISOString().slice(0, 10));

describe("an operator's calendar", () => {
  it.each([
    ["in summer", "2026-07-15T07:00", true],
    ["a minute before it opens", "2026-07-15T06:59", false],
    ["when it closes", "2026-07-15T15:30", false],
    ["in winter, an hour later", "2026-12-15T07:30", false],
    ["in winter", "2026-12-15T08:00", true],
    ["on Saturday", "2026-07-18T10:00", false],
    ["on Christmas", "2026-12-25T10:00", false],
    ["on Good Friday", "2026-04-03T10:00", false],
    ["on the first Monday of May", "2026-05-04T10:00", false],
    ["on the second Monday of May", "2026-05-11T10:00", true],
    ["on the last Friday of October", "2026-10-30T10:00", false],
  ])("the operator's calendar of Xetra %s: isMarketOpen at %s UTC is %s", (_what, text, isOpen) => {
    expect(isMarketOpen("xetra", at(text))).toBe(isOpen);
  });

  it("an operator's calendar counts open time over a weekend and a clock change", () => {
    // Friday 17:00 in Berlin to Monday 09:30, across the change to summer time.
    expect(openMinutesBetween("xetra", at("2026-03-27T16:00"), at("2026-03-30T07:30"))).toBe(60);
    expect(addOpenMinutes("xetra", at("2026-03-27T16:00"), 45)).toEqual(at("2026-03-30T07:15"));
    expect(openMinutesBetween("xetra", at("2026-07-13T00:00"), at("2026-07-20T00:00"))).toBe(5 * 510);
  });

  it("an operator's calendar supports nights that end on the next day, Saturday morning included", () => {
    // Friday 17:00 in Tokyo is 08:00 UTC; the night ends on Saturday 06:00, 21:00 UTC.
    expect(isMarketOpen("osaka", at("2026-07-17T20:59"))).toBe(true);
    expect(isMarketOpen("osaka", at("2026-07-17T21:00"))).toBe(false);
    expect(openMinutesBetween("osaka", at("2026-07-13T00:00"), at("2026-07-20T00:00"))).toBe(5 * (420 + 780));
  });

  it("an observed holiday moves from a weekend to the next weekday that is no other holiday", () => {
    // Christmas was on a Sunday in 2022 and on a Friday in 2026, and is on a Saturday in 2027.
    expect(closedIn("london", 2022)).toEqual(["2022-01-03", "2022-12-26", "2022-12-27"]);
    expect(closedIn("london", 2026)).toEqual(["2026-01-01", "2026-12-25", "2026-12-28"]);
    expect(closedIn("london", 2027)).toEqual(["2027-01-01", "2027-12-27", "2027-12-28"]);
    expect(isMarketOpen("london", at("2027-12-28T12:00"))).toBe(false);
    expect(isMarketOpen("london", at("2027-12-29T12:00"))).toBe(true);
  });

  it("an observed holiday at the end of a year moves into the next year", () => {
    // New Year's Eve was on a Saturday in 2022, so it moves beyond 2 January; in 2023 it was on a Sunday.
    expect(closedIn("year_end", 2022)).toEqual(["2022-01-02", "2022-01-03"]);
    expect(closedIn("year_end", 2023)).toEqual(["2023-01-02", "2023-01-03", "2023-01-04"]);
    expect(closedIn("year_end", 2024)).toEqual(["2024-01-01", "2024-01-02", "2024-01-03", "2024-12-31"]);
    expect(isMarketOpen("year_end", at("2023-01-03T12:00"))).toBe(false);
    expect(isMarketOpen("year_end", at("2023-01-05T12:00"))).toBe(true);
    expect(
      listUnusualDays("year_end", at("2023-01-01T00:00"), 1).map(({ day, name }) => [day, name]),
    ).toEqual([
      ["2023-01-02", "01-02"],
      ["2023-01-03", "12-31 observed"],
      ["2023-01-04", "01-01 observed"],
    ]);
  });

  it("an operator's calendar that this process does not know has FX hours", () => {
    expect(isMarketOpen("nobody", at("2026-07-15T07:00"))).toBe(isMarketOpen("fx", at("2026-07-15T07:00")));
  });
});

describe("weekly hours", () => {
  it.each([
    ["nothing", [], /at least one line/],
    ["a word", ["always"], /cannot read "always"/],
    ["an hour after 24:00", ["Mon 25:00-26:00"], /cannot read/],
    ["an overlap", ["Mon-Wed 09:00-17:00", "Wed 16:00-18:00"], /overlap/],
  ])("weekly hours of %s are refused", (_what, lines, reason) => {
    expect(parseHours(lines)).toMatch(reason);
  });

  it("weekly hours that are open during a clock change are detected", () => {
    const always = parseHours(["Sun-Sat 00:00-24:00"]);
    if (typeof always === "string") throw new Error(always);
    expect(always).toHaveLength(1);
    expect(clockChangeWhileOpen(always, "UTC", at("2026-01-01T00:00"))).toBeNull();
    expect(clockChangeWhileOpen(always, "Europe/Berlin", at("2026-01-01T00:00"))).toEqual(
      at("2026-03-29T00:00"),
    );
  });
});

describe("indices outside the US", () => {
  it.each([
    ["DE40", "de_index"],
    ["GER40.cash", "de_index"],
    ["UK100", "uk_index"],
    ["JP225", "jp_index"],
    ["JPN225", "jp_index"],
  ])("the index %s gets the calendar %s", (symbol, calendar) => {
    expect(newSymbolDefaults(symbol.toUpperCase())).toEqual({ calendar, digits: 1, isGuessed: false });
  });
});
