import { describe, expect, it } from "vitest";
import type { SlotState } from "@/db/queries/slots";
import { assessSlots, DEFAULT_HEALTH_THRESHOLDS } from "@/lib/market/assess-slots";

/** A Wednesday in open markets. */
const now = new Date("2026-11-18T12:00:00Z");
const HOUR_MS = 3_600_000;

let nextId = 1;

/** A slot whose latest signal and candle closed `lagMinutes` before `at`, as in a running service. */
function slot(wish: Partial<SlotState> & { lagMinutes?: number | null; at?: Date } = {}): SlotState {
  const { lagMinutes = 5, at = now, ...fields } = wish;
  const timeframe = fields.timeframe ?? "H1";
  const lengthMs = { M15: 0.25, H1: 1, H4: 4 }[timeframe as "H1"] * HOUR_MS;
  const ts = lagMinutes === null ? null : new Date(at.getTime() - lagMinutes * 60_000 - lengthMs);
  return {
    slotId: nextId++,
    symbol: "EURUSD",
    timeframe,
    calendar: "fx",
    digits: 5,
    costKind: "absolute",
    costValue: 0,
    modelV: "m-1",
    lastSignalTs: ts,
    lastCandleTs: ts,
    lastSettledTs: ts,
    ...fields,
  };
}

const slots = (count: number, wish: Parameters<typeof slot>[0] = {}) =>
  Array.from({ length: count }, () => slot(wish));
const codes = (states: SlotState[], at = now) => assessSlots(states, at).reasons.map(({ code }) => code);

describe("assessSlots", () => {
  it("the state of the slots is ok, without reasons, while every slot is fresh", () => {
    expect(assessSlots([slot(), slot({ symbol: "BTCUSD", calendar: "crypto" })], now)).toEqual({
      status: "ok",
      lastPrediction: new Date("2026-11-18T10:55:00Z"),
      lastCandle: new Date("2026-11-18T10:55:00Z"),
      predLagMinutes: 5,
      btcLagMinutes: 5,
      stalePredCount: 0,
      totalActiveSlots: 2,
      reasons: [],
    });
  });

  it("the state of the slots is degraded, not down, without any slot", () => {
    expect(assessSlots([], now)).toMatchObject({
      status: "degraded",
      lastPrediction: null,
      lastCandle: null,
      predLagMinutes: null,
      btcLagMinutes: null,
      totalActiveSlots: 0,
      reasons: [{ code: "no_active_slots" }],
    });
  });

  it("the state of the slots is degraded when slots have signals but no model is active", () => {
    expect(codes([slot({ modelV: null })])).toEqual(["no_active_slots"]);
  });

  it("the state of the slots is down when every active slot is stale, also one without signals", () => {
    expect(assessSlots([slot({ lagMinutes: null })], now)).toMatchObject({
      status: "down",
      stalePredCount: 1,
      reasons: [{ code: "all_slots_stale" }],
    });
  });

  it("assessSlots counts a slot as stale past one timeframe and 15 minutes", () => {
    const fresh = slots(20);
    expect(assessSlots([...fresh, slot({ lagMinutes: 75 })], now).stalePredCount).toBe(0);
    expect(assessSlots([...fresh, slot({ lagMinutes: 76 })], now).stalePredCount).toBe(1);
  });

  it("the state of the slots is degraded above a tenth of stale slots, but not at exactly a tenth", () => {
    const stale = slot({ lagMinutes: 200 });
    expect(codes([...slots(9), stale])).toEqual([]);
    expect(codes([...slots(8), stale])).toEqual(["stale_slots"]);
  });

  it("assessSlots does not count slots without a model as stale", () => {
    expect(assessSlots([slot(), slot({ modelV: null, lagMinutes: 5_000 })], now)).toMatchObject({
      status: "ok",
      totalActiveSlots: 1,
    });
  });

  it("the slots are degraded by a newest signal older than one timeframe and 30 minutes, and down when much older", () => {
    // One H4 slot stays fresh, so that not all are stale; T is H1's 60 minutes.
    const lagging = (lagMinutes: number) =>
      assessSlots([slot({ lagMinutes }), slot({ timeframe: "H4", lagMinutes: 255 })], now);
    const lagReason = (lagMinutes: number) =>
      lagging(lagMinutes).reasons.some(({ code }) => code === "predictions_lag");
    expect(lagReason(90)).toBe(false);
    expect(lagReason(91)).toBe(true);
    expect(lagging(91).status).toBe("degraded");
    const slow = [slot({ timeframe: "M15", lagMinutes: 240 }), slot({ timeframe: "H4", lagMinutes: 240 })];
    // T = 15: 4 T + 60 = 120, and the H4 slot's latest signal opened first.
    expect(assessSlots(slow, now)).toMatchObject({ status: "down", predLagMinutes: 240 });
  });

  it("the slots are down with a lag over four timeframes and 60 minutes, and degraded at exactly that", () => {
    const at = (lagMinutes: number) =>
      assessSlots([slot({ timeframe: "M15", lagMinutes }), slot({ timeframe: "H4", lagMinutes })], now);
    expect(at(120).status).toBe("degraded");
    expect(at(121).status).toBe("down");
  });

  it("the slots are degraded by BTC candles older than the shortest BTC timeframe and 30 minutes", () => {
    const btc = (candleLagMinutes: number) =>
      slot({
        symbol: "BTCUSD",
        calendar: "crypto",
        lastCandleTs: new Date(now.getTime() - candleLagMinutes * 60_000 - HOUR_MS),
      });
    expect(assessSlots([slot(), btc(90)], now)).toMatchObject({ status: "ok", btcLagMinutes: 90 });
    expect(assessSlots([slot(), btc(91)], now)).toMatchObject({
      status: "degraded",
      reasons: [{ code: "candles_lag" }],
    });
    const unserved = {
      symbol: "BTCUSD",
      calendar: "crypto",
      timeframe: "M15",
      modelV: null,
      lagMinutes: null,
    } as const;
    expect(codes([slot(), btc(90), slot(unserved)]), "the shortest of those with a model").toEqual([]);
  });

  it("the state of the slots is ok, with a null BTC lag, when there is no BTC slot", () => {
    expect(assessSlots([slot({ lastCandleTs: null })], now)).toMatchObject({
      status: "ok",
      btcLagMinutes: null,
    });
  });

  it("assessSlots does not count weekends in the lag of FX, but does for crypto", () => {
    // Friday's last hour closes at 22:00 UTC (17:00 New York in winter).
    const sunday = new Date("2026-11-22T12:00:00Z");
    const fridayTs = new Date("2026-11-20T21:00:00Z");
    const fx = slot({ lastSignalTs: fridayTs, lastCandleTs: fridayTs });
    expect(assessSlots([fx], sunday)).toMatchObject({ status: "ok", predLagMinutes: 0, stalePredCount: 0 });
    const btc = { ...fx, symbol: "BTCUSD", calendar: "crypto" as const };
    expect(assessSlots([btc], sunday)).toMatchObject({ status: "down", predLagMinutes: 38 * 60 });
  });

  it("assessSlots measures the lag at the slot with the newest signal, so a closed market hides no silent crypto slot", () => {
    const sunday = new Date("2026-11-22T12:00:00Z");
    const fx = slots(10, { lastSignalTs: new Date("2026-11-20T21:00:00Z") });
    const btcTs = new Date("2026-11-21T12:00:00Z");
    const btc = slot({ symbol: "BTCUSD", calendar: "crypto", lastSignalTs: btcTs, lastCandleTs: btcTs });
    expect(assessSlots([...fx, btc], sunday)).toMatchObject({
      status: "down",
      predLagMinutes: 23 * 60,
      btcLagMinutes: 23 * 60,
      stalePredCount: 1,
    });
  });

  it("an FX slot becomes stale 76 minutes after the Sunday opening without a signal", () => {
    const ts = new Date("2026-11-20T21:00:00Z");
    const fx = slot({ lastSignalTs: ts });
    // Opens at 22:00 UTC on Sunday; the H1 slot is fresh for 75 open minutes and stale after one more.
    expect(assessSlots([fx], new Date("2026-11-22T23:15:00Z")).stalePredCount).toBe(0);
    expect(assessSlots([fx], new Date("2026-11-22T23:16:00Z")).stalePredCount).toBe(1);
  });

  it("assessSlots uses the operator's threshold for the share of stale slots", () => {
    const states = [...slots(1), slot({ lagMinutes: 200 })];
    const lenient = { ...DEFAULT_HEALTH_THRESHOLDS, degradedStaleShare: 0.5 };
    expect(assessSlots(states, now).status).toBe("degraded");
    expect(assessSlots(states, now, lenient).status).toBe("ok");
  });
});
