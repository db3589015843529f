/**
 * Element `i` of a column, where the caller's loop bounds prove that it exists. Past the end it is NaN, so
 * that a wrong bound shows in the result and does not pass as a zero.
 *
 * Keep every index inside its column: a single read past the end makes V8 box the numbers of all callers
 * (measured: fits take five times as long). For the same reason it takes columns of one element type only.
 */
export function elementOrNaN(column: Float64Array, i: number): number {
  return column[i] ?? Number.NaN;
}
