/** The three classes of a signal in the order used by every probability triple and label of the engine. */

import { DIRECTIONS } from "@/lib/vocabulary";

export const SIGNALS = DIRECTIONS;

export type Signal = (typeof SIGNALS)[number];

export const BUY = 0;
export const SELL = 1;
export const NO_TRADE = 2;

/** Stands in place of the class while it is not known: the candle has no ATR, or its horizon is not over. */
export const UNDECIDED = -1;

/** The signal of a class number 0..2. */
export function signalOfClass(classIndex: number): Signal {
  const signal = SIGNALS[classIndex];
  if (signal === undefined) throw new RangeError(`no class ${classIndex}`);
  return signal;
}

/** The class number of a signal. */
export function classOfSignal(signal: Signal): number {
  return SIGNALS.indexOf(signal);
}
