import { beforeAll, describe, expect, it } from "vitest";
import { findExampleSignal } from "@/app/(site)/_landing/finished-signal";
import { db, workerDb } from "@/db/client";
import { candleCloseAt } from "@/lib/market/timeframes";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import type { Trade } from "@/lib/signals/record/read-trades";
import { useDatabase } from "@/tests/support/database";
import { resolveOutcomesNow, type StoredMarket, storeMarket } from "@/tests/support/record-market";

useDatabase({ PUBLIC_CANDLES: "on" });

let market: StoredMarket;
beforeAll(async () => {
  market = await storeMarket({ symbol: "EURUSD", nCandles: 200, nSignals: 100, seed: 5, ahead: true });
  await enterIntoLedger(workerDb());
  await resolveOutcomesNow();
  await enterIntoLedger(workerDb());
});

/** A trade of the market that was held for five candles. */
function tradeWith(levels: Pick<Trade, "expectedRr" | "stop" | "target">): Trade {
  const { candles, timeframe, modelV } = market;
  const [ts, entryPrice] = [new Date(candles.ts[150]!), candles.close[150]!];
  return {
    symbol: "EURUSD",
    timeframe,
    modelV,
    direction: "BUY",
    confidence: 0.5,
    ts,
    endedAt: candleCloseAt(new Date(candles.ts[155]!), timeframe),
    entryPrice,
    exitPrice: candles.close[155]!,
    exitReason: "TIMEOUT",
    barrierDistance: 1,
    resultR: 0.1,
    heldMinutes: 300,
    ...levels,
  } as Trade;
}
const drawn = async (levels: Pick<Trade, "expectedRr" | "stop" | "target">) =>
  findExampleSignal([tradeWith(levels)], () => 5);

describe("the example on the landing page", () => {
  it("shows a signal with a target", async () => {
    const entry = market.candles.close[150]!;
    const byRatio = await drawn({ expectedRr: 1.5, stop: null, target: null });
    expect(byRatio?.target).toBeCloseTo(entry + 1.5, 9);
    expect(byRatio?.nHeld).toBe(5);
    expect((await drawn({ expectedRr: 0, stop: entry - 1, target: entry + 2 }))?.target).toBe(entry + 2);
  });

  it("shows no signal that was made in a pause", async () => {
    const levels = { expectedRr: 1.5, stop: null, target: null };
    const close = tradeWith(levels).ts.getTime() + 3_600_000;
    const [pause] = await db().$client`
      insert into pauses (symbol, reason, started_at, ended_at, started_by, ended_by)
      values ('EURUSD', 'r', ${new Date(close - 60_000).toISOString()}::timestamptz, ${new Date(close + 60_000).toISOString()}::timestamptz, 'a', 'a') returning id`;
    expect(await drawn(levels)).toBeNull();
    await db().$client`delete from pauses where id = ${pause?.id}`;
    expect(await drawn(levels)).not.toBeNull();
  });

  it("shows no signal without a target", async () => {
    expect(await drawn({ expectedRr: 0, stop: null, target: null })).toBeNull();
    expect(await drawn({ expectedRr: 1.5, stop: 99, target: null })).toBeNull();
  });
});
