/**
 * The record is added up in whole numbers, so that its sums are the same in any order and to the last digit. Each signal is
 * rounded once, when it is added. Sums stay below 2^53 for four million signals of a slot.
 */

const MICRO = 1e6;
const NANO = 1e9;

/** R in whole millionths. */
export const micro = (r: number): number => Math.round(r * MICRO);
/** Squared errors, probabilities and shares in whole billionths. */
export const nano = (value: number): number => Math.round(value * NANO);
export const fromMicro = (sum: number): number => sum / MICRO;
export const fromNano = (sum: number): number => sum / NANO;
