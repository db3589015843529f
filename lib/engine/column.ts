/**
 * Element `i` of a column, where the caller's loop bounds already prove that it exists. Beyond the end it is NaN, so
 * that a mistake in the bounds shows itself in the result instead of passing as a zero.
 *
 * Keep every index inside its column: a single read beyond the end makes the compiler give up unboxed numbers in all
 * callers (measured: fits take five times as long). For the same reason it takes columns of one element type alone.
 */
export function at(column: Float64Array, i: number): number {
  return column[i] ?? Number.NaN;
}
