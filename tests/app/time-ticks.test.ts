import { describe, expect, it } from "vitest";
import { columnTimeTicks, timeTicks } from "@/app/_components/chart/time-ticks";
import { clockOf, UTC_CLOCK } from "@/lib/market/clock";
import { HOUR_MS } from "@/lib/time";

const at = (text: string) => new Date(`${text}Z`);
const TOKYO = clockOf({ clock: "local", timeZone: "Asia/Tokyo" });
const words = (marks: readonly { label: string }[]) => marks.map((mark) => mark.label);

describe("time axis ticks", () => {
  const marks = (from: string, to: string, clock = UTC_CLOCK) => {
    const [low, high] = [at(from), at(to)];
    const extent = high.getTime() - low.getTime();
    return timeTicks(low, high, clock, (when) => (when.getTime() - low.getTime()) / extent);
  };

  it("time axis ticks are at round times at equal steps", () => {
    const found = marks("2026-11-02T07:13:00", "2026-11-20T15:00:00");
    const steps = found.slice(1).map((mark, index) => mark.at - (found[index]?.at ?? 0));
    expect(words(found)).toEqual(["9 Nov", "16 Nov"]);
    expect(Math.max(...steps) - Math.min(...steps)).toBeLessThan(1e-9);
    expect(words(marks("2026-11-17T07:13:00", "2026-11-21T15:00:00"))).toEqual([
      "18 Nov",
      "19 Nov",
      "20 Nov",
      "21 Nov",
    ]);
  });

  it("time axis ticks show hours when several are on one day, and the day at its start", () => {
    expect(words(marks("2026-11-20T13:00:00", "2026-11-21T09:00:00"))).toEqual([
      "20 Nov 16:00",
      "20:00",
      "21 Nov",
      "04:00",
      "08:00",
    ]);
  });

  it("the first tick, with day and time, is hidden on a phone when the next day is close", () => {
    const near = columnTimeTicks(
      Array.from({ length: 62 }, (_, hour) => new Date(at("2026-11-23T11:00:00").getTime() + hour * HOUR_MS)),
      UTC_CLOCK,
      (index) => (index + 0.5) / 62,
    );
    expect(near.map(({ label, minor }) => [label, minor]).slice(0, 2)).toEqual([
      ["23 Nov 12:00", true],
      ["24 Nov", false],
    ]);
  });

  it("time axis ticks follow the chosen clock", () => {
    // 15:00 UTC is midnight in Tokyo.
    const found = marks("2026-11-20T12:00:00", "2026-11-21T06:00:00", TOKYO);
    expect(words(found)).toContain("21 Nov");
    expect(found.find((mark) => mark.label === "21 Nov")?.at).toBeCloseTo(3 / 18, 9);
  });

  it("time axis ticks show months, with the year at the first and where it changes", () => {
    expect(words(marks("2026-09-10T00:00:00", "2027-02-20T00:00:00"))).toEqual([
      "Oct 2026",
      "Nov",
      "Dec",
      "Jan 2027",
      "Feb",
    ]);
  });

  it("time axis ticks are one to seven for nine spans from half an hour to 4,000 days", () => {
    for (const days of [0.02, 0.2, 1, 3, 9, 40, 200, 900, 4_000]) {
      const to = new Date(at("2026-03-01T00:00:00").getTime() + days * 24 * HOUR_MS);
      const found = marks("2026-03-01T00:00:00", to.toISOString().slice(0, 19), clockOf({ clock: "broker" }));
      expect(found.length, `${days} days`).toBeGreaterThan(0);
      expect(found.length, `${days} days`).toBeLessThanOrEqual(7);
      expect(found.every((mark) => mark.at >= 0 && mark.at <= 1)).toBe(true);
    }
  });
});

describe("ticks under candles", () => {
  it("ticks under the candles of a week name each trading day once", () => {
    // Hours of a week without its weekend.
    const hours = Array.from(
      { length: 168 },
      (_, hour) => new Date(at("2026-11-16T00:00:00").getTime() + hour * HOUR_MS),
    );
    const open = hours.filter((hour) => hour.getUTCDay() > 0 && hour.getUTCDay() < 6);
    const found = columnTimeTicks(open, UTC_CLOCK, (index) => (index + 0.5) / open.length);
    expect(words(found)).toEqual(["16 Nov", "17 Nov", "18 Nov", "19 Nov", "20 Nov"]);
  });

  it("ticks under the candles of one day are hours in the chosen clock", () => {
    const hours = Array.from(
      { length: 12 },
      (_, hour) => new Date(at("2026-11-20T16:00:00").getTime() + hour * HOUR_MS),
    );
    expect(words(columnTimeTicks(hours, TOKYO, (index) => index / 12))).toEqual([
      "21 Nov 02:00",
      "04:00",
      "06:00",
      "08:00",
      "10:00",
      "12:00",
    ]);
  });

  it("there are no ticks without candles", () => {
    expect(columnTimeTicks([], UTC_CLOCK, () => 0)).toEqual([]);
  });
});
