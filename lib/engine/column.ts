/**
 * Element `i` of a column, where the caller's loop bounds already prove that it exists. Beyond the end it is NaN, so
 * that a mistake in the bounds shows itself in the result instead of passing as a zero.
 *
 * Keep the bounds honest: one index outside a column anywhere makes the compiler give up unboxed numbers everywhere
 * (measured: fits take five times as long). One element type only, for the same reason.
 */
export function at(column: Float64Array, i: number): number {
  return column[i] ?? Number.NaN;
}
