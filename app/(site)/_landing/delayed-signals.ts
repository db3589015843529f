import type { TapeSignal } from "../../_components/chart/signal-tape";
import type { Direction } from "../../_components/direction-mark";

const MINUTE_MS = 60_000;

/**
 * The signals that visitors may see: those whose candle closed at least `delayMinutes` before `now`.
 * `signals` are newest first with the candle's open time; the result is oldest first.
 */
export function delayedSignals(
  signals: readonly { ts: Date; signal: Direction; confidence: number }[],
  timeframeMinutes: number,
  delayMinutes: number,
  now: Date,
): TapeSignal[] {
  const openedBefore = now.getTime() - (timeframeMinutes + delayMinutes) * MINUTE_MS;
  return signals
    .filter((signal) => signal.ts.getTime() <= openedBefore)
    .map((signal) => ({ at: signal.ts, direction: signal.signal, confidence: signal.confidence }))
    .reverse();
}
