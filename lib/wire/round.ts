/** Rounds a computed figure to 6 decimals, because further ones are noise. null stays null. */
export function roundFigure<T extends number | null>(value: T): T {
  if (value === null) return value;
  // T is number here: the compiler cannot follow it through the arithmetic.
  return (Math.round(Number(value) * 1e6) / 1e6) as T;
}
