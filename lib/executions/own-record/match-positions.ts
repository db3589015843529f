import type { IssuedSignal, ReportedPosition } from "@/db/queries/own-record";
import { groupBy } from "@/lib/runtime/group-by";
import { MINUTE_MS } from "@/lib/time";

/**
 * Allows for a client's slow clock, and for times without seconds: an opening may precede its signal by this
 * much.
 */
export const CLOCK_TOLERANCE_MS = MINUTE_MS;

export interface MatchedPositions {
  /** Positions by the id of the signal that they followed, the earliest opening first. */
  bySignal: Map<number, ReportedPosition[]>;
  /** Number of positions that followed none of these signals. */
  nOthers: number;
}

/**
 * Matches positions to signals. Pure.
 *
 * A position whose report names a signal is matched if symbol, timeframe and side agree. Any other position is matched
 * to the newest signal of its slot at the opening, or to one made within a minute after, if that signal has its side;
 * but not if its times may be in a broker's time zone.
 */
export function matchPositions(
  signals: readonly IssuedSignal[],
  positions: readonly ReportedPosition[],
): MatchedPositions {
  // Index only what positions need: there are thousands of signals in few slots.
  const named = new Set(positions.map(({ predId }) => predId));
  const byId = new Map(
    signals.filter(({ signalId }) => named.has(signalId)).map((signal) => [signal.signalId, signal]),
  );
  const unnamed = new Set(positions.filter(({ predId }) => predId === null).map(slotAndSide));
  const bySlot = groupBy(
    (unnamed.size === 0 ? [] : signals.filter((signal) => unnamed.has(slotAndSide(signal)))).toSorted(
      (a, b) => a.createdMs - b.createdMs,
    ),
    slotAndSide,
  );
  const bySignal = new Map<number, ReportedPosition[]>();
  let nOthers = 0;
  for (const position of positions.toSorted((a, b) => a.openedMs - b.openedMs)) {
    const followed =
      position.predId === null
        ? standingAt(bySlot.get(slotAndSide(position)) ?? [], position)
        : namedBy(position, byId.get(position.predId));
    if (followed === null) nOthers++;
    else {
      const others = bySignal.get(followed.signalId);
      if (others) others.push(position);
      else bySignal.set(followed.signalId, [position]);
    }
  }
  return { bySignal, nOthers };
}

const slotAndSide = (of: { symbol: string; timeframe: string; side: string }) =>
  `${of.symbol}/${of.timeframe}/${of.side}`;

function namedBy(position: ReportedPosition, signal: IssuedSignal | undefined): IssuedSignal | null {
  return signal && slotAndSide(signal) === slotAndSide(position) ? signal : null;
}

/**
 * The signal that was the newest one of its slot when a position opened, or that was made within a minute after.
 *
 * @param signals the signals of the position's slot and side, in order of creation
 */
function standingAt(signals: readonly IssuedSignal[], position: ReportedPosition): IssuedSignal | null {
  if (position.clockSuspect) return null;
  const { openedMs } = position;
  let low = 0;
  let high = signals.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((signals[middle]?.createdMs ?? 0) <= openedMs) low = middle + 1;
    else high = middle;
  }
  const last = signals[low - 1];
  if (last && (last.replacedMs === null || openedMs < last.replacedMs)) return last;
  const next = signals[low];
  return next && next.createdMs - openedMs <= CLOCK_TOLERANCE_MS ? next : null;
}
