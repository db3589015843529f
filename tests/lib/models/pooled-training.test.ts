import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { upsertCandles } from "@/db/queries/candles";
import { ensureSlots } from "@/db/queries/slots";
import { listTrainingStates } from "@/db/queries/trainings";
import { makeFeatures } from "@/lib/engine/features";
import { predictSignalModel } from "@/lib/engine/models/signal-model";
import { makeCandleSeries } from "@/lib/market/candles";
import { produceDueSignals } from "@/lib/models/producer/produce-due-signals";
import { registerBaseline } from "@/lib/models/producer/register-baseline";
import { trainSlotModel } from "@/lib/models/training/train-slot-model";
import { describeSymbol } from "@/lib/signals/ingest/describe-symbol";
import { SMALL } from "@/tests/lib/engine/small-settings";
import { randomWalk } from "@/tests/lib/engine/synthetic";
import { tables, useDatabase } from "@/tests/support/database";

useDatabase();

const N = 4200;
const HOUR_MS = 3_600_000;
const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - N * HOUR_MS;
const never = new AbortController().signal;

/** A walk whose last candle closed with the last full hour. */
function walkOf(seed: number) {
  const walk = randomWalk({ n: N, seed });
  return Array.from({ length: N }, (_, i) => ({
    ts: new Date(startMs + i * HOUR_MS),
    open: walk.open[i]!,
    high: walk.high[i]!,
    low: walk.low[i]!,
    close: walk.close[i]!,
    volume: 1,
  }));
}

describe("a slot that has others of its timeframe beside it", () => {
  const candles = walkOf(77);
  let sql: postgres.Sql;
  let slotIds: number[];
  beforeAll(async () => {
    sql = tables();
    const names = ["BTCUSD", "ETHUSD"].map((symbol) => ({ symbol, timeframe: "H1" as const }));
    slotIds = [...(await ensureSlots(workerDb(), names, describeSymbol)).values()];
    for (const [i, slotId] of slotIds.entries()) {
      const all = i === 0 ? candles.slice(0, -1) : walkOf(78);
      await upsertCandles(
        workerDb(),
        all.map((candle) => ({ slotId, ...candle })),
      );
    }
    await registerBaseline(workerDb(), slotIds, new Date(startMs));
  });
  afterAll(() => sql.end());

  it("learns from them, and forecasts from its own candles alone what was trained", async () => {
    const alike = await listTrainingStates(workerDb(), 4000);
    const slot = alike.find(({ slotId }) => slotId === slotIds[0])!;
    expect(alike).toHaveLength(2);
    const settings = { ...SMALL, recipes: ["pooled"] as const };
    const { decision, trained } = await trainSlotModel(workerDb(), slot, alike, { settings });
    expect(decision).toMatchObject({ champion: "pooled", change: "promoted", level: 0.05 / 2 });
    const alone = await trainSlotModel(workerDb(), slot, [slot], { settings });
    expect(alone.evaluations.size).toBe(0);
    expect(alone.isRecorded).toBe(false);

    // What the other slot does now is not asked for.
    await sql`delete from candles where slot_id = ${slotIds[1]!}`;
    await upsertCandles(workerDb(), [{ slotId: slot.slotId, ...candles.at(-1)! }]);
    await produceDueSignals(workerDb(), never);
    const [signal] = await sql<{ modelV: string; rawProbNo: number }[]>`
      select model_v as "modelV", raw_prob_no as "rawProbNo" from signals
       where slot_id = ${slot.slotId} and ts = ${candles.at(-1)!.ts}`;
    expect(signal!.modelV).toMatch(/^pooled-/);
    const series = makeCandleSeries(candles.map((candle) => ({ ...candle, ts: candle.ts.getTime() })));
    const raw = predictSignalModel(trained!.model, makeFeatures(series, 60), [N - 1]);
    expect(Number(signal!.rawProbNo)).toBeCloseTo(raw[2]!, 6);
  }, 120_000);
});
