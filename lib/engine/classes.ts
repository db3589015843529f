/** The three classes of a signal, numbered in the order of every probability triple and label of the engine. */

import { DIRECTIONS } from "@/lib/vocabulary";

export const SIGNALS = DIRECTIONS;

export type Signal = (typeof SIGNALS)[number];

export const BUY = 0;
export const SELL = 1;
export const NO_TRADE = 2;

/** Placeholder while the class is unknown: the candle has no ATR or an ATR of 0, or its horizon has not closed. */
export const UNKNOWN_CLASS = -1;

export function signalOfClass(classIndex: number): Signal {
  const signal = SIGNALS[classIndex];
  if (signal === undefined) throw new RangeError(`no class ${classIndex}`);
  return signal;
}

export function classOfSignal(signal: Signal): number {
  return SIGNALS.indexOf(signal);
}
