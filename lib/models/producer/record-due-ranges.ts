import type { Database, Transaction } from "@/db/client";
import type { CandleColumns } from "@/db/queries/candles";
import { readClock } from "@/db/queries/clock";
import {
  type ForecastRangeRow,
  hasSignalOfCandle,
  insertForecastRanges,
  listOpenForecastRanges,
  listRangeStates,
  type RangeMove,
  type RangeState,
  resolveForecastRanges,
} from "@/db/queries/ranges";
import { bumpSignalsVersion, lockSignals } from "@/db/queries/signals";
import { elementOrNaN } from "@/lib/engine/column";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import { forecastRanges, largestMoves, RANGE_HISTORY_CANDLES } from "@/lib/engine/ranges/forecast-ranges";
import { candleCloseAt, timeframeMinutes } from "@/lib/market/timeframes";
import { processWide } from "@/lib/runtime/process-wide";
import { lastCandles, readNewestCandles } from "./cached-candles";
import { countsAsLive } from "./due-candles";

/** By slot id: open time (epoch ms) of the newest candle, if a check found no new range to make. */
const lookedAt = () => processWide("ranges-checked-at", () => new Map<number, number>());

/** Maximum number of ranges that are made at once for a slot, because a simulated market has a long past. */
const MAX_CANDLES = 1_000;

/**
 * Stores the missing ranges of the candles since the newest range of each slot that has a champion or a live signal, at
 * most {@link MAX_CANDLES} per slot. Ranges of slots for which this service makes signals are usually stored already,
 * with the signals ({@link prepareDueForecastRanges}). A candle for which a signal would no longer count as live gets no range.
 *
 * @returns the number of new ranges
 */
export async function recordDueForecastRanges(database: Database, signal: AbortSignal): Promise<number> {
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
      if (newest !== undefined && isNew > 0 && (await hasSignalOfCandle(tx, newest))) {
        await lockSignals(tx);
        await bumpSignalsVersion(tx);
      }
      return isNew;
    });
  }
  return made;
}

/**
 * Finds the slots with due ranges. Returns a function that computes the ranges of one slot. Its result is undefined if the
 * slot needs none, else a function that stores them, to be called in the transaction of the slot's signals.
 */
export async function prepareDueForecastRanges(
  database: Database,
  now: Date,
): Promise<(slotId: number) => Promise<WriteWithSignals | undefined>> {
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

/** A function that writes rows which belong to signals, in the transaction of the signals. */
export type WriteWithSignals = (tx: Transaction) => Promise<void>;

const isBehind = ({ lastRangeTs, lastSettledTs }: RangeState) =>
  lastRangeTs === null || lastRangeTs < lastSettledTs;

interface PreparedRanges {
  slot: RangeState;
  candles: CandleColumns;
  rows: ForecastRangeRow[];
}

/** The due ranges of a slot; null if its newest candle is too old for one, or was checked before and got none. */
async function prepareRanges(
  database: Database,
  slot: RangeState,
  now: Date,
): Promise<PreparedRanges | null> {
  const { slotId, timeframe } = slot;
  const newestMs = slot.lastSettledTs.getTime();
  // A slot with too few candles is checked only once per candle and process.
  if (lookedAt().get(slotId) === newestMs) return null;
  // A candle that closed too long ago gets no range.
  if (!countsAsLive(slot, candleCloseAt(slot.lastSettledTs, timeframe), now)) {
    lookedAt().set(slotId, newestMs);
    return null;
  }
  const candles = lastCandles(await readNewestCandles(database, slot), RANGE_HISTORY_CANDLES);
  const n = candles.ts.length;
  const after = slot.lastRangeTs?.getTime() ?? Number.NEGATIVE_INFINITY;
  const firstNew = candles.ts.findIndex((ts) => ts > after);
  const rows = forecastRanges({
    candles,
    timeframeMinutes: timeframeMinutes(timeframe),
    fromIndex: firstNew < 0 ? n : Math.max(firstNew, n - MAX_CANDLES),
    toIndex: n,
  }).flatMap(({ index, close, either, up, down }): ForecastRangeRow[] => {
    const ts = new Date(elementOrNaN(candles.ts, index));
    const closesAt = candleCloseAt(ts, timeframe);
    if (!countsAsLive(slot, closesAt, now)) return [];
    return [
      { slotId, ts, closesAt, close, either: either.map(shown), up: up.map(shown), down: down.map(shown) },
    ];
  });
  if (rows.length === 0) lookedAt().set(slotId, newestMs);
  return { slot, candles, rows };
}

/** Stores ranges, and the price moves of stored ranges whose horizon has closed. Returns the number of new ranges. */
async function writeRanges(tx: Transaction, { slot, candles, rows }: PreparedRanges): Promise<number> {
  const made = await insertForecastRanges(tx, rows);
  await resolveForecastRanges(tx, slot.slotId, await movesOf(tx, slot, candles));
  return made;
}

/** Rounds to the six significant digits that are shown, so that the stored range is the published one. */
function shown(distance: number): number {
  return Number(distance.toPrecision(6));
}

/** The price moves during the slot's unresolved ranges whose horizon has closed, if their candles are loaded. */
async function movesOf(
  handle: Parameters<typeof listOpenForecastRanges>[0],
  { slotId }: RangeState,
  candles: CandleColumns,
): Promise<RangeMove[]> {
  const lastOver = candles.ts[candles.ts.length - 1 - OUTCOME_RULE.horizonCandles];
  if (lastOver === undefined) return [];
  const open = await listOpenForecastRanges(handle, slotId, new Date(lastOver));
  if (open.length === 0) return [];
  const places = new Map(Array.from(candles.ts, (ts, index) => [ts, index]));
  const moves = largestMoves(candles);
  return open.flatMap((ts): RangeMove[] => {
    const index = places.get(ts.getTime());
    if (index === undefined) return [];
    const [movedUp, movedDown] = [elementOrNaN(moves.up, index), elementOrNaN(moves.down, index)];
    return Number.isNaN(movedUp) ? [] : [{ ts, movedUp, movedDown }];
  });
}
