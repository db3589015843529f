import type { Database } from "@/db/client";
import { type CandleColumns, readCandles } from "@/db/queries/candles";
import { readClock } from "@/db/queries/instants";
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

/** Open time of the newest candle that each slot was looked at with; epoch ms. */
const lookedAt = () => processWide("ranges-looked-at", () => new Map<number, number>());

/** Of a simulated past so many candles are said. */
const MOST_CANDLES = 1_000;

/**
 * Says of the candles that closed since a slot's newest range how far the price will move, and writes of those whose
 * horizon is over how far it moved. A range is made while its candle is new or never.
 *
 * @returns how many ranges were made
 */
export async function makeDueRanges(database: Database, signal: AbortSignal): Promise<number> {
  const states = await listRangeStates(database);
  const behind = states.filter(
    ({ lastRangeTs, lastSettledTs }) => lastRangeTs === null || lastRangeTs < lastSettledTs,
  );
  if (behind.length === 0) return 0;
  const now = await readClock(database);
  let made = 0;
  for (const slot of behind) {
    if (signal.aborted) break;
    const newestMs = slot.lastSettledTs.getTime();
    // A slot with too few candles is looked at once for each.
    if (lookedAt().get(slot.slotId) === newestMs) continue;
    // Nothing is made of a past.
    if (countsAsLive(slot, candleCloseAt(slot.lastSettledTs, slot.timeframe), now))
      made += await makeRanges(database, slot, now);
    lookedAt().set(slot.slotId, newestMs);
  }
  return made;
}

async function makeRanges(database: Database, slot: RangeState, now: Date): Promise<number> {
  const { slotId, timeframe } = slot;
  const candles = await readCandles(database, slotId, { newest: RANGE_CANDLES });
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
  return database.transaction(async (tx) => {
    const made = await insertRanges(tx, rows);
    await resolveRanges(tx, slotId, await movesOf(tx, slot, candles));
    const newest = rows.at(-1);
    if (newest !== undefined && made > 0 && (await isSignalled(tx, newest))) {
      await lockSignals(tx);
      await bumpSignalsVersion(tx);
    }
    return made;
  });
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
