import type { IssuedSignal, OwnPosition } from "@/db/queries/own-record";
import { groupBy } from "@/lib/runtime/group-by";
import { MINUTE_MS } from "@/lib/time";

/** A client's clock, and seconds that it leaves out, may put an opening so far before the signal that it followed. */
const CLOCK_TOLERANCE_MS = MINUTE_MS;

export interface Matched {
  /** Positions by the signal that they followed, first opened first. */
  bySignal: Map<number, OwnPosition[]>;
  /** Positions that followed none of these signals. */
  nOthers: number;
}

/**
 * Which signal each position followed. Pure.
 *
 * A report that names its signal is believed when symbol, timeframe and side agree. Without a name it is the signal of
 * that slot and side which stood when the position was opened. A time that looks like a broker's clock matches nothing.
 */
export function matchPositions(signals: readonly IssuedSignal[], positions: readonly OwnPosition[]): Matched {
  // Signals are thousands, of which the positions are in a few slots, and named ones need no order.
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
  const bySignal = new Map<number, OwnPosition[]>();
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

function namedBy(position: OwnPosition, signal: IssuedSignal | undefined): IssuedSignal | null {
  return signal && slotAndSide(signal) === slotAndSide(position) ? signal : null;
}

/** @param signals of one slot and side, first made first */
function standingAt(signals: readonly IssuedSignal[], position: OwnPosition): IssuedSignal | null {
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
