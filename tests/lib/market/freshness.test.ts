import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signalValidUntil, slotFreshness } from "@/lib/market/freshness";
import { candleOpenMs } from "@/lib/market/timeframes";
import { TIMEFRAMES } from "@/lib/vocabulary";

const at = (text: string) => new Date(text);

describe("slotFreshness", () => {
  it("slotFreshness counts the age from the close of the last candle", () => {
    expect(
      slotFreshness({
        symbol: "EURUSD",
        calendar: "fx",
        timeframe: "H1",
        lastTs: at("2026-01-13T10:00:00Z"),
        now: at("2026-01-13T11:30:30Z"),
      }),
    ).toEqual({
      ageMinutes: 30.5,
      expectedMinutes: 60,
      staleAfterMinutes: 75,
      marketOpen: true,
      stale: false,
    });
  });

  it("a slot is stale after one timeframe and 15 minutes, not before", () => {
    const slot = {
      symbol: "EURUSD",
      calendar: "fx",
      timeframe: "H1",
      lastTs: at("2026-01-13T10:00:00Z"),
    } as const;
    expect(slotFreshness({ ...slot, now: at("2026-01-13T12:15:00Z") }).stale).toBe(false);
    expect(slotFreshness({ ...slot, now: at("2026-01-13T12:15:00.001Z") }).stale).toBe(true);
  });

  it("slotFreshness ignores a closed weekend for FX but not for crypto", () => {
    const slot = {
      symbol: "XAUUSD",
      timeframe: "H1",
      lastTs: at("2026-01-16T21:00:00Z"),
      now: at("2026-01-18T21:59:00Z"),
    } as const;
    expect(slotFreshness({ ...slot, calendar: "fx" })).toEqual({
      ageMinutes: 0,
      expectedMinutes: 60,
      staleAfterMinutes: 75,
      marketOpen: false,
      stale: false,
    });
    expect(slotFreshness({ ...slot, calendar: "crypto" }).stale).toBe(true);
    expect(slotFreshness({ ...slot, calendar: "fx", now: at("2026-01-18T23:15:01Z") }).stale).toBe(true);
  });

  it("slotFreshness ignores the daily pause of metals", () => {
    const slot = {
      symbol: "XAUUSD",
      timeframe: "H1",
      lastTs: at("2026-01-13T20:00:00Z"),
      now: at("2026-01-13T23:10:00Z"),
    } as const;
    expect(slotFreshness({ ...slot, calendar: "metal" })).toMatchObject({ ageMinutes: 70, stale: false });
    expect(slotFreshness({ ...slot, calendar: "fx" })).toMatchObject({ ageMinutes: 130, stale: true });
  });

  it("a slot without signals is stale, in open and closed markets", () => {
    const slot = { symbol: "EURUSD", calendar: "fx", timeframe: "H4", lastTs: null } as const;
    expect(slotFreshness({ ...slot, now: at("2026-01-13T12:00:00Z") })).toEqual({
      ageMinutes: null,
      expectedMinutes: 240,
      staleAfterMinutes: 255,
      marketOpen: true,
      stale: true,
    });
    expect(slotFreshness({ ...slot, now: at("2026-01-17T12:00:00Z") })).toMatchObject({
      marketOpen: false,
      stale: true,
    });
  });

  it("slotFreshness has age 0 for a candle that has not closed yet", () => {
    expect(
      slotFreshness({
        symbol: "EURUSD",
        calendar: "fx",
        timeframe: "H1",
        lastTs: at("2026-01-13T10:00:00Z"),
        now: at("2026-01-13T10:20:00Z"),
      }),
    ).toMatchObject({ ageMinutes: 0, stale: false });
  });
});

describe("signalValidUntil", () => {
  it("signalValidUntil is two timeframes and 15 minutes after the candle's opening during the week", () => {
    expect(
      signalValidUntil({ symbol: "EURUSD", timeframe: "H4", calendar: "fx" }, at("2026-01-13T08:00:00Z")),
    ).toEqual(at("2026-01-13T16:15:00Z"));
  });

  it("signalValidUntil skips the weekend for FX, and not for crypto", () => {
    expect(
      signalValidUntil({ symbol: "EURUSD", timeframe: "H1", calendar: "fx" }, at("2026-01-16T20:00:00Z")),
    ).toEqual(at("2026-01-18T22:15:00Z"));
    expect(
      signalValidUntil({ symbol: "BTCUSD", timeframe: "H1", calendar: "crypto" }, at("2026-01-16T20:00:00Z")),
    ).toEqual(at("2026-01-16T22:15:00Z"));
  });

  it("signalValidUntil is the last moment at which a slot is not stale", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("fx" as const, "metal" as const, "crypto" as const),
        fc.constantFrom(...TIMEFRAMES),
        fc.date({ min: at("2005-01-01"), max: at("2035-01-01"), noInvalidDate: true }),
        (calendar, timeframe, instant) => {
          const lastTs = new Date(candleOpenMs(instant.getTime(), timeframe));
          const until = signalValidUntil({ symbol: "EURUSD", timeframe, calendar }, lastTs);
          expect(slotFreshness({ symbol: "EURUSD", calendar, timeframe, lastTs, now: until }).stale).toBe(
            false,
          );
          const after = new Date(until.getTime() + 1);
          expect(slotFreshness({ symbol: "EURUSD", calendar, timeframe, lastTs, now: after }).stale).toBe(
            true,
          );
        },
      ),
    );
  });
});
