import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { type Database, workerDb } from "@/db/client";
import { startEmbeddedDatabase } from "@/db/embedded/cluster";
import { migrateDatabase } from "@/db/migrate";
import { upsertCandles } from "@/db/queries/candles";
import { upsertModels } from "@/db/queries/models";
import { writeSetting } from "@/db/queries/settings";
import { ensureSlots } from "@/db/queries/slots";
import { listTrainingStates } from "@/db/queries/trainings";
import * as schema from "@/db/schema";
import { prepareSlot, trainSlot } from "@/lib/engine/train";
import { produceDueSignals } from "@/lib/models/producer/produce-due-signals";
import { registerBaseline } from "@/lib/models/producer/register-baseline";
import { trainSlotModel } from "@/lib/models/training/train-slot-model";
import { describeSymbol } from "@/lib/signals/ingest/describe-symbol";
import { SMALL } from "@/tests/lib/engine/small-settings";
import { randomWalk } from "@/tests/lib/engine/synthetic";
import { ADMIN_SECRET, testEnvironment } from "@/tests/support/database";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { load } from "./load";
import { ingestScan, makeKeys, startBenchService } from "./service";

const HOUR_MS = 3_600_000;
const CANDLES = 75_000;
const ROUNDS = 5;
/** Candles of a slot of the tick. */
const WALK = 25_000;

/** Training and walk-forward of 75,000 candles; a tick of 15 slots; `GET /api/scan` while a slot is trained. */
export async function benchEngine(): Promise<string[]> {
  return [benchTraining(), ...(await benchTick()), ...(await benchScanDuringTraining())];
}

function benchTraining(): string {
  const sample = prepareSlot(randomWalk({ n: CANDLES, seed: 1 }), 60, { kind: "absolute", value: 0 });
  const before = process.cpuUsage();
  const startedMs = performance.now();
  trainSlot({ sample, timeframeMinutes: 60, current: "baseline", slots: 1 });
  const { user, system } = process.cpuUsage(before);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const megabytes = (process.resourceUsage().maxRSS / 1024).toFixed(0);
  return (
    `training and walk-forward of ${CANDLES} candles: ${seconds} s, ` +
    `${((user + system) / 1e6).toFixed(1)} s of processor time, peak memory ${megabytes} MB`
  );
}

/** Fifteen slots with trained models, of which each has one new candle. */
async function benchTick(): Promise<string[]> {
  const directory = temporaryDirectory("signal-bench-");
  process.env.TEST_DIRECTORY = directory;
  const embedded = await startEmbeddedDatabase(directory);
  await migrateDatabase(embedded.url);
  Object.assign(process.env, testEnvironment(embedded.url));
  const database = workerDb();
  const never = new AbortController().signal;
  try {
    const names = Array.from({ length: 15 }, (_, i) => ({ symbol: `BENCH${i}`, timeframe: "H1" as const }));
    const slotIds = [...(await ensureSlots(database, names, describeSymbol)).values()];
    for (const slotId of slotIds) await storeWalk(database, slotId, WALK, 0, WALK - 4);
    await registerBaseline(database, slotIds, new Date());
    // In office since before the walk's last candles, so that each of them gets its signal.
    await database.execute(sql`update models set champion_since = now() - interval '1 day'`);
    const lines: string[] = [];
    for (const [i, what] of ["first, history read", "after that"].entries()) {
      for (const slotId of slotIds) await storeWalk(database, slotId, WALK, WALK - 4 + i, WALK - 3 + i);
      const startedMs = performance.now();
      await produceDueSignals(database, never);
      lines.push(`a tick of 15 baselines (${what}): ${(performance.now() - startedMs).toFixed(0)} ms`);
    }
    const [first] = await listTrainingStates(database, 4000);
    if (first === undefined) throw new Error("a slot was stored");
    const { trained } = await trainSlotModel(database, first, 1, { settings: SMALL });
    if (trained === null) throw new Error("the walk's rhythm is learnt");
    for (const slotId of slotIds) {
      await upsertModels(database, [
        {
          slotId,
          modelV: "bench",
          aucWf: null,
          pfWf: null,
          isActive: true,
          trainedAt: new Date(),
          classFreq: null,
          featureStats: null,
          parameters: trained,
        },
      ]);
    }
    for (const what of ["first, models read", "after that"]) {
      for (const slotId of slotIds) {
        const from = what === "after that" ? WALK - 1 : WALK - 2;
        await storeWalk(database, slotId, WALK, from, from + 1);
      }
      const startedMs = performance.now();
      await produceDueSignals(database, never);
      lines.push(`a tick of 15 slots (${what}): ${(performance.now() - startedMs).toFixed(0)} ms`);
    }
    return lines;
  } finally {
    await database.$client.end({ timeout: 2 });
    await embedded.stop();
  }
}

/** The same load without and with a training of 75,000 candles in the server's own process, in turn. */
async function benchScanDuringTraining(): Promise<string[]> {
  const service = await startBenchService();
  const pool = postgres(service.databaseUrl, { max: 2, onnotice: () => undefined });
  const database: Database = drizzle(pool, { schema });
  try {
    await writeSetting(database, "training", { enabled: false, afterMinutes: 0, everyHours: 0.0001 });
    await ingestScan(service.server, ADMIN_SECRET);
    const [slotId = 0] = (
      await ensureSlots(database, [{ symbol: "BENCHBTC", timeframe: "H1" }], describeSymbol)
    ).values();
    await storeWalk(database, slotId, CANDLES, 0, CANDLES);
    await registerBaseline(database, [slotId], new Date());
    // The baseline's signals for the newest candles are made before anything is measured.
    await pause(15_000);
    const keys = await makeKeys(service.sql, 2_000, "pro");
    const wanted = { url: `${service.server.url}/api/scan`, connections: 16, seconds: 8, keys };
    const p99s: Record<"without" | "with", number[]> = { without: [], with: [] };
    for (let round = 0; round < ROUNDS; round++) {
      p99s.without.push((await load(wanted)).p99Ms);
      const before = await trainingsOf(database, slotId);
      await writeSetting(database, "training", { enabled: true, afterMinutes: 0, everyHours: 0.0001 });
      await pool`select pg_notify('worker', 'training')`;
      await pause(4_000);
      p99s.with.push((await load(wanted)).p99Ms);
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

async function storeWalk(
  database: Database,
  slotId: number,
  n: number,
  from: number,
  to: number,
): Promise<void> {
  const walk = randomWalk({ n, seed: 100 });
  const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - n * HOUR_MS;
  const at = (column: Float64Array, i: number) => column[i] ?? 0;
  const rows = Array.from({ length: to - from }, (_, k) => ({
    slotId,
    ts: new Date(startMs + (from + k) * HOUR_MS),
    open: at(walk.open, from + k),
    high: at(walk.high, from + k),
    low: at(walk.low, from + k),
    close: at(walk.close, from + k),
    volume: 1,
  }));
  for (let i = 0; i < rows.length; i += 5000) await upsertCandles(database, rows.slice(i, i + 5000));
}
