import type { SlotSignal } from "@/db/queries/signals";
import { MINUTE_MS } from "@/lib/time";

/** A signal as visitors see it, with the names that the page's parts use. */
export interface DelayedSignal {
  at: Date;
  direction: SlotSignal["signal"];
  confidence: number;
  regime: string;
  expectedRr: number;
}

/**
 * The signals that visitors may see: those whose candle closed at least `delayMinutes` before `now`.
 * `signals` are newest first with the candle's open time; the result is oldest first.
 */
export function delayedSignals(
  signals: readonly SlotSignal[],
  timeframeMinutes: number,
  delayMinutes: number,
  now: Date,
): DelayedSignal[] {
  const openedBefore = now.getTime() - (timeframeMinutes + delayMinutes) * MINUTE_MS;
  return signals
    .filter((signal) => signal.ts.getTime() <= openedBefore)
    .map(({ ts, signal, confidence, regime, expectedRr }) => ({
      at: ts,
      direction: signal,
      confidence,
      regime,
      expectedRr,
    }))
    .reverse();
}
