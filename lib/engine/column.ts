/**
 * Element `i` of a column that the caller's loop bounds already prove to exist; NaN beyond the end, so that a mistake
 * in the bounds shows itself in the result instead of passing as a zero. One function per element type keeps the
 * access monomorphic, which the tight loops of the engine live on.
 */
export function at(column: Float64Array, i: number): number {
  return column[i] ?? Number.NaN;
}
