import { setTimeout as pause } from "node:timers/promises";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import type { Database } from "@/db/client";
import { writeSetting } from "@/db/queries/settings";
import { ensureSlots } from "@/db/queries/slots";
import { listTrainingStates } from "@/db/queries/trainings";
import * as schema from "@/db/schema";
import { makePoolSlot } from "@/lib/engine/models/pool";
import { makeSlotSample, trainAndSelectChampion } from "@/lib/engine/train";
import { makeBaselineChampion } from "@/lib/models/producer/register-baseline";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { randomWalk } from "@/tests/lib/engine/synthetic";
import { ADMIN_SECRET } from "@/tests/support/database";
import { runClosedLoop } from "./load";
import { ingestScan, makeKeys, startBenchService } from "./service";
import { randomWalkCandles, storeCandles } from "./walk-candles";

/** Number of candles per slot. */
const CANDLES = 80_000;
/** Number of slots that a training uses: the trained one and the others of its pool. */
const SLOTS = 4;
const ROUNDS = 5;

/** Measures a training with walk-forward on 80,000 candles of four slots each, and `GET /api/scan` during a training. */
export async function benchEngine(): Promise<string[]> {
  return [benchTraining(), ...(await benchScanDuringTraining())];
}

function benchTraining(): string {
  const [own, ...others] = Array.from({ length: SLOTS }, (_, i) => randomWalk({ n: CANDLES, seed: i + 1 }));
  if (own === undefined) throw new RangeError("a slot to train");
  const before = process.cpuUsage();
  const startedMs = performance.now();
  const pool = others.map((candles) => makePoolSlot(candles, 60, SLOTS));
  const sample = makeSlotSample(own, 60, { kind: "absolute", value: 0 }, pool);
  trainAndSelectChampion({ sample, timeframeMinutes: 60, current: "baseline", slots: SLOTS });
  const { user, system } = process.cpuUsage(before);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const megabytes = (process.resourceUsage().maxRSS / 1024).toFixed(0);
  return (
    `training and walk-forward of ${CANDLES} candles beside ${SLOTS - 1} other slots: ${seconds} s, ` +
    `${((user + system) / 1e6).toFixed(1)} s of processor time, peak memory ${megabytes} MB`
  );
}

/** Measures polls without and during a training on 80,000 candles that the server's worker starts, alternating. */
async function benchScanDuringTraining(): Promise<string[]> {
  const service = await startBenchService();
  const pool = postgres(service.databaseUrl, { max: 2, onnotice: () => undefined });
  const database: Database = drizzle(pool, { schema });
  try {
    await writeSetting(database, "training", { enabled: false, afterMinutes: 0, everyHours: 0.0001 });
    await ingestScan(service.server, ADMIN_SECRET);
    const [slotId = 0] = (
      await ensureSlots(database, [{ symbol: "BENCHBTC", timeframe: "H1" }], symbolDefaultsOf)
    ).values();
    await storeCandles(database, slotId, randomWalkCandles("H1", CANDLES));
    await makeBaselineChampion(database, [slotId], new Date());
    // The baseline's signals for the newest candles are made before the measurement.
    await pause(15_000);
    const keys = await makeKeys(service.sql, 2_000, "pro");
    const wanted = { url: `${service.server.url}/api/scan`, connections: 16, seconds: 8, keys };
    const p99s: Record<"without" | "with", number[]> = { without: [], with: [] };
    for (let round = 0; round < ROUNDS; round++) {
      p99s.without.push((await runClosedLoop(wanted)).p99Ms);
      const before = await trainingsOf(database, slotId);
      await writeSetting(database, "training", { enabled: true, afterMinutes: 0, everyHours: 0.0001 });
      await pool`select pg_notify('worker', 'training')`;
      await pause(4_000);
      p99s.with.push((await runClosedLoop(wanted)).p99Ms);
      if ((await trainingsOf(database, slotId)) > before)
        throw new Error("the training ended before the load did");
      await writeSetting(database, "training", { enabled: false });
      const deadlineMs = performance.now() + 240_000;
      while ((await trainingsOf(database, slotId)) === before) {
        if (performance.now() > deadlineMs) throw new Error("no training was recorded");
        await pause(500);
      }
    }
    const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
    const [without, during] = [median(p99s.without), median(p99s.with)];
    return [
      `/api/scan p99, 16 connections: ${without.toFixed(2)} ms without, ${during.toFixed(2)} ms during training, ` +
        `ratio ${(during / without).toFixed(2)}; medians of ${ROUNDS} rounds, training rests meanwhile`,
    ];
  } finally {
    await pool.end({ timeout: 2 });
    await service.stop();
  }
}

async function trainingsOf(database: Database, slotId: number): Promise<number> {
  return (await listTrainingStates(database, 4000)).find((slot) => slot.slotId === slotId)?.nTrainings ?? 0;
}
