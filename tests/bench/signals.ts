import { setTimeout as pause } from "node:timers/promises";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import type { Database } from "@/db/client";
import { bumpModelsVersion, lockModels, upsertModels } from "@/db/queries/models";
import { writeSetting } from "@/db/queries/settings";
import { ensureSlots } from "@/db/queries/slots";
import { listTrainingStates } from "@/db/queries/trainings";
import * as schema from "@/db/schema";
import { makeBaselineChampion } from "@/lib/models/producer/register-baseline";
import { trainSlotModel } from "@/lib/models/training/train-slot-model";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { SMALL_WALK_FORWARD } from "@/tests/lib/engine/small-settings";
import { ADMIN_SECRET } from "@/tests/support/database";
import { startBenchService } from "./service";
import { randomWalkCandles, storeCandles } from "./walk-candles";

const SLOTS = 15;
const CANDLES = 25_000;
/** Number of new candles per kind of model. At the first one the worker also loads the model and the history. */
const ROUNDS = 5;
const DEADLINE_MS = 60_000;

/**
 * Measures the delay from the answer to an ingested candle in fifteen slots to the first and the last of their signals,
 * made by the built server's worker, first with the baseline and then with trained models.
 */
export async function benchSignals(): Promise<string[]> {
  const service = await startBenchService({ MARKET_FEED: "off" });
  const pool = postgres(service.databaseUrl, { max: 2, onnotice: () => undefined });
  const database: Database = drizzle(pool, { schema });
  try {
    await writeSetting(database, "training", { enabled: false });
    // The market is always open, and its candles are so short that the last ones all count as new.
    const names = Array.from({ length: SLOTS }, (_, i) => ({
      symbol: `BTC${String.fromCharCode(65 + i)}USD`,
      timeframe: "M1" as const,
    }));
    const slotIds = [...(await ensureSlots(database, names, symbolDefaultsOf)).values()];
    await service.sql`update symbols set calendar = 'crypto'`;
    const candles = randomWalkCandles("M1", CANDLES);
    const past = candles.slice(0, -2 * ROUNDS);
    for (const slotId of slotIds) await storeCandles(database, slotId, past);
    await makeBaselineChampion(database, slotIds, new Date());
    await signalsOf(past.at(-1)?.ts);
    const baseline = await delays(candles.slice(-2 * ROUNDS, -ROUNDS));

    const [first] = await listTrainingStates(database, CANDLES / 2);
    if (first === undefined) throw new Error("a slot was stored");
    const { trained } = await trainSlotModel(database, first, [first], { settings: SMALL_WALK_FORWARD });
    if (trained === null) throw new Error("the walk's rhythm is learnt");
    await database.transaction(async (tx) => {
      await lockModels(tx);
      await upsertModels(
        tx,
        slotIds.map((slotId) => ({
          slotId,
          modelV: "bench",
          aucWf: null,
          pfWf: null,
          isActive: true,
          trainedAt: new Date(),
          classFreq: null,
          featureStats: null,
          parameters: trained,
        })),
      );
      await bumpModelsVersion(tx);
    });
    return [
      ...baseline.map((line) => `${SLOTS} slots of the baseline, ${line}`),
      ...(await delays(candles.slice(-ROUNDS))).map((line) => `${SLOTS} trained slots, ${line}`),
    ];

    /** Ingests the candles one after the other, each for all slots. Returns a line with the delays of each. */
    async function delays(sent: typeof candles): Promise<string[]> {
      const lines: string[] = [];
      for (const candle of sent) {
        // After two seconds the worker has finished the previous candle.
        await pause(2_000);
        const items = names.map((name) => ({ ...name, ...candle, ts: candle.ts.toISOString() }));
        const answer = await fetch(`${service.server.url}/admin/ingest/candles`, {
          method: "POST",
          headers: { "X-Admin-Secret": ADMIN_SECRET },
          body: JSON.stringify({ items }),
        });
        if (!answer.ok) throw new Error(await answer.text());
        const { firstMs, lastMs } = await signalsOf(candle.ts);
        lines.push(
          `candle ${lines.length + 1}: first signal ${firstMs.toFixed(0)} ms after the commit, last ${lastMs.toFixed(0)} ms`,
        );
      }
      return lines;
    }

    /** Waits until the candle that opened at `ts` has its signal in every slot. */
    async function signalsOf(ts: Date | undefined): Promise<{ firstMs: number; lastMs: number }> {
      const startedMs = performance.now();
      let firstMs: number | null = null;
      for (;;) {
        const [row] = await service.sql<{ n: number }[]>`
          select count(*)::int as n from signals where ts = ${ts ?? new Date(0)} and slot_id = any(${slotIds})`;
        const ms = performance.now() - startedMs;
        if ((row?.n ?? 0) > 0) firstMs ??= ms;
        if (firstMs !== null && row?.n === SLOTS) return { firstMs, lastMs: ms };
        if (ms > DEADLINE_MS) throw new Error(`${row?.n} of ${SLOTS} signals after ${DEADLINE_MS} ms`);
        await pause(5);
      }
    }
  } finally {
    await pool.end({ timeout: 2 });
    await service.stop();
  }
}
