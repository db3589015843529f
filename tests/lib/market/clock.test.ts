import { describe, expect, it } from "vitest";
import { clockOf, clockOffsetLabel, instantOf, isTimeZone, wallTime } from "@/lib/market/clock";

const SUMMER = new Date("2026-07-01T10:00:00Z");
const WINTER = new Date("2026-11-21T10:00:00Z");

describe("the display clock", () => {
  it("the display clock is UTC by default, and when a zone is missing", () => {
    for (const preferences of [{}, { clock: "local" }, { clock: "utc", timeZone: "Asia/Tokyo" }] as const)
      expect(clockOffsetLabel(clockOf(preferences), WINTER)).toBe("UTC");
  });

  it("the display clock follows the time zone's own summer time", () => {
    const berlin = clockOf({ clock: "local", timeZone: "Europe/Berlin" });
    expect([clockOffsetLabel(berlin, WINTER), clockOffsetLabel(berlin, SUMMER)]).toEqual(["UTC+1", "UTC+2"]);
    expect(wallTime(berlin, SUMMER).toISOString()).toBe("2026-07-01T12:00:00.000Z");
    expect(clockOffsetLabel(clockOf({ clock: "local", timeZone: "Asia/Kolkata" }), WINTER)).toBe("UTC+5:30");
    expect(clockOffsetLabel(clockOf({ clock: "local", timeZone: "America/New_York" }), WINTER)).toBe("UTC−5");
  });

  it("the display clock set to most brokers' time closes its day at 17:00 New York", () => {
    const broker = clockOf({ clock: "broker" });
    expect([clockOffsetLabel(broker, WINTER), clockOffsetLabel(broker, SUMMER)]).toEqual(["UTC+2", "UTC+3"]);
    expect(wallTime(broker, new Date("2026-11-20T22:00:00Z")).toISOString()).toBe("2026-11-21T00:00:00.000Z");
    expect(clockOffsetLabel(clockOf({ clock: "broker", brokerOffsetMinutes: 180 }), WINTER)).toBe("UTC+3");
  });

  it("the display clock converts a wall time to an instant and back unchanged, even on days of a clock change", () => {
    for (const clock of [
      clockOf({}),
      clockOf({ clock: "broker" }),
      clockOf({ clock: "local", timeZone: "America/New_York" }),
      clockOf({ clock: "local", timeZone: "Asia/Kolkata" }),
    ]) {
      for (const day of [
        "2026-03-08",
        "2026-03-29",
        "2026-07-01",
        "2026-10-25",
        "2026-11-01",
        "2026-11-02",
      ]) {
        const wall = new Date(`${day}T00:00:00Z`);
        expect(wallTime(clock, instantOf(clock, wall)), `${clock.zone} ${day}`).toEqual(wall);
      }
    }
  });

  it("isTimeZone accepts known time zones and refuses other texts", () => {
    expect(["Europe/Berlin", "UTC", "Mars/Olympus", "'; drop", ""].map(isTimeZone)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
