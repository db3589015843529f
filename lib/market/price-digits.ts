const SIGNIFICANT = 5;
/** A list without a smaller price is shown with the decimals of its symbol. */
const LARGE = 10;
const MAX_DIGITS = 12;

/**
 * Number of decimals for a list of prices: that of the symbol or, if the smallest price other than 0 is below 10 and
 * needs more for five significant digits, as many as it needs, at most 12. A new symbol's decimals are an assumption,
 * and 0.00000123 must not show as 0.00.
 */
export function priceDigits(symbolDigits: number, prices: readonly (number | null | undefined)[]): number {
  let smallest = LARGE;
  for (const price of prices) if (price && Math.abs(price) < smallest) smallest = Math.abs(price);
  if (smallest >= LARGE) return symbolDigits;
  const needed = SIGNIFICANT - 1 - Math.floor(Math.log10(smallest));
  return Math.max(symbolDigits, Math.min(MAX_DIGITS, needed));
}
