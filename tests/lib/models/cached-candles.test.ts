import { beforeAll, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { findTimeNCandlesBefore, readCandles, upsertCandles } from "@/db/queries/candles";
import { ensureSlots } from "@/db/queries/slots";
import {
  MAX_CACHE_GROWTH_CANDLES,
  MIN_CACHED_CANDLES,
  readNewestCandles,
} from "@/lib/models/producer/cached-candles";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { randomWalk } from "@/tests/lib/engine/synthetic";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const MINUTE_MS = 60_000;
const N = MIN_CACHED_CANDLES + 2 * MAX_CACHE_GROWTH_CANDLES;
const walk = randomWalk({ n: N, seed: 5 });
const startMs = Math.floor(Date.now() / MINUTE_MS - 2 * N) * MINUTE_MS;
let slotId = 0;

const tsOf = (i: number) => new Date(startMs + i * MINUTE_MS);
const candle = (i: number, volume = 1) => ({
  slotId,
  ts: tsOf(i),
  open: walk.open[i]!,
  high: walk.high[i]!,
  low: walk.low[i]!,
  close: walk.close[i]!,
  volume,
});
async function store(from: number, to: number): Promise<void> {
  await upsertCandles(
    workerDb(),
    Array.from({ length: to - from }, (_, k) => candle(from + k)),
  );
}
/** The newest candles up to an instant, from cache and from the database. */
async function newest(last: number) {
  const held = await readNewestCandles(workerDb(), { slotId, lastSettledTs: tsOf(last) });
  const stored = await readCandles(workerDb(), slotId, { newest: held.ts.length });
  return { held, stored };
}

beforeAll(async () => {
  const names = [{ symbol: "BTCUSD", timeframe: "M1" as const }];
  slotId = (await ensureSlots(workerDb(), names, symbolDefaultsOf)).get("BTCUSD/M1") ?? 0;
});

it("cached newest candles match the database after additions, corrections and backfills", async () => {
  // A history loaded from its end.
  await store(900, 1000);
  expect((await newest(999)).held.ts).toHaveLength(100);
  await store(0, 900);
  expect((await newest(999)).held.ts).toHaveLength(1000);
  await store(1000, N - MAX_CACHE_GROWTH_CANDLES - 5);
  let last = N - MAX_CACHE_GROWTH_CANDLES - 6;
  const first = await newest(last);
  expect(first.held).toEqual(first.stored);
  expect(first.held.ts.length).toBeGreaterThanOrEqual(MIN_CACHED_CANDLES);

  await store(last + 1, last + 4);
  last += 3;
  const grown = await newest(last);
  expect(grown.held.ts.at(-1)).toBe(tsOf(last).getTime());
  expect(grown.held.ts[0]).toBe(first.held.ts[0]);
  expect(grown.held).toEqual(grown.stored);

  await upsertCandles(workerDb(), [candle(last - 2000, 7)]);
  const corrected = await newest(last);
  expect(corrected.held.volume).toContain(7);
  expect(corrected.held).toEqual(corrected.stored);

  await store(last + 1, N);
  await newest(N - 1);
  const trimmed = await newest(N - 1);
  expect(trimmed.held.ts.length).toBeLessThan(MIN_CACHED_CANDLES + MAX_CACHE_GROWTH_CANDLES);
  expect(trimmed.held).toEqual(trimmed.stored);
});

it("a history counts settled candles only", async () => {
  const names = [{ symbol: "ETHUSD", timeframe: "M1" as const }];
  const ids = await ensureSlots(workerDb(), names, symbolDefaultsOf);
  const slot = { slotId: ids.get("ETHUSD/M1") ?? 0 };
  const forming = { closesAt: new Date(Date.now() + MINUTE_MS) };
  await upsertCandles(
    workerDb(),
    [0, 1, 2, 3, 4].map((i) => ({ ...candle(i), ...slot, ...(i === 3 ? forming : {}) })),
  );
  const start = await findTimeNCandlesBefore(workerDb(), slot.slotId, { ts: tsOf(4), candles: 2 });
  expect(start).toEqual(tsOf(1));
});
