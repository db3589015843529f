const SIGNIFICANT = 5;
/** Prices from here on are shown with the decimals of their symbol. */
const LARGE = 10;
const MOST_DIGITS = 12;

/**
 * Decimals to show prices with: those of their symbol, and as many as give the smallest of them five significant digits
 * where it is below 10. The decimals of a symbol are assumed when it is first seen, and 0.00000123 is not 0.00.
 */
export function priceDigits(symbolDigits: number, prices: readonly (number | null | undefined)[]): number {
  let smallest = LARGE;
  for (const price of prices) if (price && Math.abs(price) < smallest) smallest = Math.abs(price);
  if (smallest >= LARGE) return symbolDigits;
  const needed = SIGNIFICANT - 1 - Math.floor(Math.log10(smallest));
  return Math.max(symbolDigits, Math.min(MOST_DIGITS, needed));
}
