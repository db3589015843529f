import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { upsertCandles } from "@/db/queries/candles";
import { upsertModels } from "@/db/queries/models";
import { ensureSlots } from "@/db/queries/slots";
import { listTrainingStates, listWeeklyScores } from "@/db/queries/trainings";
import { makeFeatures } from "@/lib/engine/features";
import { makePoolSlot } from "@/lib/engine/models/pool";
import { predictSignalModel } from "@/lib/engine/models/signal-model";
import { sumBrierGainsByWeek } from "@/lib/engine/pooled-evidence";
import { fitFinalModel, makeSlotSample } from "@/lib/engine/train";
import { makeCandleSeries } from "@/lib/market/candles";
import { produceDueSignals } from "@/lib/models/producer/produce-due-signals";
import { makeBaselineChampion } from "@/lib/models/producer/register-baseline";
import { trainSlotModel } from "@/lib/models/training/train-slot-model";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { SMALL_WALK_FORWARD } from "@/tests/lib/engine/small-settings";
import { randomWalk } from "@/tests/lib/engine/synthetic";
import { connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase();

const N = 4200;
const HOUR_MS = 3_600_000;
const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - N * HOUR_MS;
const never = new AbortController().signal;

/** A walk whose last candle closed at the last full hour. */
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

function seriesOf(rows: ReturnType<typeof walkOf>) {
  return makeCandleSeries(rows.map((row) => ({ ...row, ts: row.ts.getTime() })));
}

describe("a slot with others of its timeframe", () => {
  const candles = walkOf(77);
  let sql: postgres.Sql;
  let slotIds: number[];
  beforeAll(async () => {
    sql = connectDirectly();
    const names = ["BTCUSD", "ETHUSD"].map((symbol) => ({ symbol, timeframe: "H1" as const }));
    slotIds = [...(await ensureSlots(workerDb(), names, symbolDefaultsOf)).values()];
    for (const [i, slotId] of slotIds.entries()) {
      const all = i === 0 ? candles.slice(0, -1) : walkOf(78);
      await upsertCandles(
        workerDb(),
        all.map((candle) => ({ slotId, ...candle })),
      );
    }
    await makeBaselineChampion(workerDb(), slotIds, new Date(startMs));
  });
  afterAll(() => sql.end());

  it("a slot trains on others of its timeframe, and forecasts from its own candles alone", async () => {
    const alike = await listTrainingStates(workerDb(), 4000);
    const slot = alike.find(({ slotId }) => slotId === slotIds[0])!;
    expect(alike).toHaveLength(2);
    const settings = { ...SMALL_WALK_FORWARD, recipes: ["pooled"] as const };
    const alone = await trainSlotModel(workerDb(), slot, [slot], { settings });
    expect([...alone.evaluations.keys()]).toEqual([]);
    const { evaluations, walk, decision } = await trainSlotModel(workerDb(), slot, alike, { settings });
    expect([...evaluations.keys()]).toEqual(["pooled"]);
    expect(decision.level).toBe(0.05 / 2);

    // The other slot's training combines this one's evidence with its own.
    const [weeks, ...others] = await listWeeklyScores(workerDb(), slotIds);
    expect(others).toEqual([]);
    expect(weeks).toEqual(sumBrierGainsByWeek(walk));
    const beside = alike.find(({ slotId }) => slotId === slotIds[1])!;
    const { decision: ofOther } = await trainSlotModel(workerDb(), beside, alike, { settings });
    expect(ofOther.level).toBe(0.05 / 2 / 2);
    expect(await listWeeklyScores(workerDb(), slotIds)).toHaveLength(2);

    const pool = [makePoolSlot(seriesOf(walkOf(78)), 60, 2, SMALL_WALK_FORWARD.fit)];
    const sample = makeSlotSample(seriesOf(candles.slice(0, -1)), 60, { kind: "absolute", value: 0 }, pool);
    const trained = fitFinalModel({ sample, timeframeMinutes: 60, recipe: "pooled", walk, settings });
    await upsertModels(workerDb(), [
      {
        slotId: slot.slotId,
        modelV: "pooled-1",
        aucWf: null,
        pfWf: null,
        isActive: true,
        trainedAt: new Date(),
        classFreq: null,
        featureStats: null,
        parameters: trained,
      },
    ]);
    // Changes of the other slot have no effect now.
    await sql`delete from candles where slot_id = ${slotIds[1]!}`;
    await upsertCandles(workerDb(), [{ slotId: slot.slotId, ...candles.at(-1)! }]);
    await produceDueSignals(workerDb(), never);
    const [signal] = await sql<{ modelV: string; rawProbNo: number }[]>`
      select model_v as "modelV", raw_prob_no as "rawProbNo" from signals
       where slot_id = ${slot.slotId} and ts = ${candles.at(-1)!.ts}`;
    expect(signal!.modelV).toBe("pooled-1");
    const raw = predictSignalModel(trained.model, makeFeatures(seriesOf(candles), 60), [N - 1]);
    expect(Number(signal!.rawProbNo)).toBeCloseTo(raw[2]!, 6);
  }, 120_000);
});
