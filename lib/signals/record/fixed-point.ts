/**
 * The record uses whole numbers, so that its sums are exact and independent of order. Each signal is rounded
 * once. Sums stay below 2^53 for four million signals of a slot.
 */

const MICRO = 1e6;
const NANO = 1e9;

/** R in whole millionths. */
export const toMicro = (r: number): number => Math.round(r * MICRO);
/** Squared errors, probabilities and shares in whole billionths. */
export const toNano = (value: number): number => Math.round(value * NANO);
export const fromMicro = (sum: number): number => sum / MICRO;
export const fromNano = (sum: number): number => sum / NANO;
