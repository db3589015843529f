import { LRUCache } from "lru-cache";
import type { Database } from "@/db/client";
import {
  type CandleColumns,
  type CandleRevision,
  findTimeNCandlesBefore,
  readCandleRevisions,
  readCandles,
} from "@/db/queries/candles";
import { requiredCandles } from "@/lib/engine/trained-model";
import { sliceCandles } from "@/lib/market/candles";
import { processWide } from "@/lib/runtime/process-wide";

/** Candles of a slot that stay in memory, and their revision in the database (`mark`) just before they were read. */
export interface CachedCandles {
  mark: CandleRevision;
  candles: CandleColumns;
}

/**
 * A slot's settled candles that open from `from` up to but without `to`. If the database's hash shows that the candles
 * in memory (`before`) are unchanged, they are kept, only newer ones are read, and `isGrown` is true.
 */
export async function readCachedCandles(
  database: Database,
  slotId: number,
  { from, to }: { from: Date; to: Date },
  before: CachedCandles | undefined,
): Promise<CachedCandles & { isGrown: boolean }> {
  const lastMs = before?.candles.ts.at(-1) ?? from.getTime() - 1;
  const marks = await readCandleRevisions(database, slotId, { from, last: new Date(lastMs), to });
  const isGrown =
    before !== undefined && before.mark.n === marks.held.n && before.mark.hash === marks.held.hash;
  const candles = isGrown
    ? joined(before.candles, await readCandles(database, slotId, { from: new Date(lastMs + 1), to }))
    : await readCandles(database, slotId, { from, to });
  return { mark: marks.all, candles, isGrown };
}

/** Maximum number of slots whose newest candles stay in memory, 0.2 MB each. */
const MAX_SLOTS = 64;
/**
 * Minimum number of candles in memory per slot: those that a forecast on H1 needs, plus some for several due candles.
 * Forecasts on M1 and M2 need more and read them from the database.
 */
export const MIN_CACHED_CANDLES = requiredCandles({ features: 2, timeframeMinutes: 60 }) + 100;
/** Number of candles by which a slot's cache may exceed its minimum before it is read again without the oldest ones. */
export const MAX_CACHE_GROWTH_CANDLES = 500;
const FAR_FUTURE = new Date("9999-01-01T00:00:00Z");

const newest = () =>
  processWide("newest-candles", () => new LRUCache<number, CachedCandles>({ max: MAX_SLOTS }));

/**
 * The newest settled candles of a slot, oldest first: at least {@link MIN_CACHED_CANDLES}, or all if fewer are stored.
 * Cached per slot as in {@link readCachedCandles}.
 */
export async function readNewestCandles(
  database: Database,
  { slotId, lastSettledTs }: { slotId: number; lastSettledTs: Date },
): Promise<CandleColumns> {
  const known = newest().get(slotId);
  const n = known?.candles.ts.length ?? 0;
  // A slot with fewer candles is read again, because it may have received older ones.
  const before =
    n >= MIN_CACHED_CANDLES && n < MIN_CACHED_CANDLES + MAX_CACHE_GROWTH_CANDLES ? known : undefined;
  const firstMs = before?.candles.ts[0];
  const from =
    firstMs === undefined
      ? await findTimeNCandlesBefore(database, slotId, { ts: lastSettledTs, candles: MIN_CACHED_CANDLES })
      : new Date(firstMs);
  const { mark, candles } = await readCachedCandles(database, slotId, { from, to: FAR_FUTURE }, before);
  newest().set(slotId, { mark, candles });
  return candles;
}

/** The last `n` candles of a series, or all if there are fewer. */
export function lastCandles(candles: CandleColumns, n: number): CandleColumns {
  return sliceCandles(candles, Math.max(0, candles.ts.length - n));
}

function joined(a: CandleColumns, b: CandleColumns): CandleColumns {
  const column = (name: keyof CandleColumns) => {
    const values = new Float64Array(a.ts.length + b.ts.length);
    values.set(a[name]);
    values.set(b[name], a.ts.length);
    return values;
  };
  return {
    ts: column("ts"),
    open: column("open"),
    high: column("high"),
    low: column("low"),
    close: column("close"),
    volume: column("volume"),
  };
}
