import type { Database, Transaction } from "@/db/client";
import type { CandleColumns } from "@/db/queries/candles";
import { readClock } from "@/db/queries/clock";
import {
  insertRanges,
  isSignalled,
  listOpenRanges,
  listRangeStates,
  type RangeMove,
  type RangeRow,
  type RangeState,
  resolveRanges,
} from "@/db/queries/ranges";
import { bumpSignalsVersion, lockSignals } from "@/db/queries/signals";
import { at } from "@/lib/engine/column";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import { forecastRanges, largestMoves, RANGE_CANDLES } from "@/lib/engine/ranges/forecast-ranges";
import { candleCloseAt, timeframeMinutes } from "@/lib/market/timeframes";
import { processWide } from "@/lib/runtime/process-wide";
import { countsAsLive } from "./due-candles";
import { lastOf, readNewest } from "./held-candles";

/** Open time of the newest candle that each slot was looked at with; epoch ms. */
const lookedAt = () => processWide("ranges-looked-at", () => new Map<number, number>());

/** Of a simulated past so many candles are said. */
const MOST_CANDLES = 1_000;

/**
 * Says of the candles that closed since a slot's newest range how far the price will move, where their signals were not
 * made here: those of {@link prepareDueRanges} are recorded with their signals. A range is made while its candle is new
 * or never.
 *
 * @returns how many ranges were made
 */
export async function makeDueRanges(database: Database, signal: AbortSignal): Promise<number> {
  const behind = (await listRangeStates(database)).filter(isBehind);
  if (behind.length === 0) return 0;
  const now = await readClock(database);
  let made = 0;
  for (const slot of behind) {
    if (signal.aborted) break;
    const prepared = await prepareRanges(database, slot, now);
    if (prepared === null) continue;
    made += await database.transaction(async (tx) => {
      const isNew = await writeRanges(tx, prepared);
      const newest = prepared.rows.at(-1);
      if (newest !== undefined && isNew > 0 && (await isSignalled(tx, newest))) {
        await lockSignals(tx);
        await bumpSignalsVersion(tx);
      }
      return isNew;
    });
  }
  return made;
}

/** Ranges that are due, by slot, to be recorded in the transaction of the signals of their candles. */
export async function prepareDueRanges(
  database: Database,
  now: Date,
): Promise<(slotId: number) => Promise<RecordAlongside | undefined>> {
  const behind = new Map(
    (await listRangeStates(database)).filter(isBehind).map((slot) => [slot.slotId, slot]),
  );
  return async (slotId) => {
    const slot = behind.get(slotId);
    const prepared = slot === undefined ? null : await prepareRanges(database, slot, now);
    if (prepared === null) return undefined;
    let isWritten = false;
    return async (tx) => {
      if (isWritten) return;
      isWritten = true;
      await writeRanges(tx, prepared);
    };
  };
}

/** Writes what belongs to signals, in their transaction. */
export type RecordAlongside = (tx: Transaction) => Promise<void>;

const isBehind = ({ lastRangeTs, lastSettledTs }: RangeState) =>
  lastRangeTs === null || lastRangeTs < lastSettledTs;

interface PreparedRanges {
  slot: RangeState;
  candles: CandleColumns;
  rows: RangeRow[];
}

/** The ranges that are due of a slot; null where nothing is said of its newest candle. */
async function prepareRanges(
  database: Database,
  slot: RangeState,
  now: Date,
): Promise<PreparedRanges | null> {
  const { slotId, timeframe } = slot;
  const newestMs = slot.lastSettledTs.getTime();
  // A slot with too few candles is looked at once for each.
  if (lookedAt().get(slotId) === newestMs) return null;
  // Nothing is made of a past.
  if (!countsAsLive(slot, candleCloseAt(slot.lastSettledTs, timeframe), now)) {
    lookedAt().set(slotId, newestMs);
    return null;
  }
  const candles = lastOf(await readNewest(database, slot), RANGE_CANDLES);
  const n = candles.ts.length;
  const after = slot.lastRangeTs?.getTime() ?? Number.NEGATIVE_INFINITY;
  const firstNew = candles.ts.findIndex((ts) => ts > after);
  const rows = forecastRanges({
    candles,
    timeframeMinutes: timeframeMinutes(timeframe),
    fromIndex: firstNew < 0 ? n : Math.max(firstNew, n - MOST_CANDLES),
    toIndex: n,
  }).flatMap(({ index, close, either, up, down }): RangeRow[] => {
    const ts = new Date(at(candles.ts, index));
    const closesAt = candleCloseAt(ts, timeframe);
    if (!countsAsLive(slot, closesAt, now)) return [];
    return [
      { slotId, ts, closesAt, close, either: either.map(shown), up: up.map(shown), down: down.map(shown) },
    ];
  });
  if (rows.length === 0) lookedAt().set(slotId, newestMs);
  return { slot, candles, rows };
}

/** Records ranges, and how far the price moved after those whose horizon is over. Returns how many were new. */
async function writeRanges(tx: Transaction, { slot, candles, rows }: PreparedRanges): Promise<number> {
  const made = await insertRanges(tx, rows);
  await resolveRanges(tx, slot.slotId, await movesOf(tx, slot, candles));
  return made;
}

/** Six digits are kept, as they are shown: what is judged is what was said. */
function shown(distance: number): number {
  return Number(distance.toPrecision(6));
}

/** The moves of the slot's open ranges whose horizon is over, as far as their candles are at hand. */
async function movesOf(
  handle: Parameters<typeof listOpenRanges>[0],
  { slotId }: RangeState,
  candles: CandleColumns,
): Promise<RangeMove[]> {
  const lastOver = candles.ts[candles.ts.length - 1 - OUTCOME_RULE.horizonCandles];
  if (lastOver === undefined) return [];
  const open = await listOpenRanges(handle, slotId, new Date(lastOver));
  if (open.length === 0) return [];
  const places = new Map(Array.from(candles.ts, (ts, index) => [ts, index]));
  const moves = largestMoves(candles);
  return open.flatMap((ts): RangeMove[] => {
    const index = places.get(ts.getTime());
    if (index === undefined) return [];
    const [movedUp, movedDown] = [at(moves.up, index), at(moves.down, index)];
    return Number.isNaN(movedUp) ? [] : [{ ts, movedUp, movedDown }];
  });
}
