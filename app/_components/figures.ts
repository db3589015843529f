/** Number formats: a true minus sign, grouped thousands, a fixed number of digits. */

export { countWithNoun } from "@/lib/runtime/count-with-noun";

const MINUS = "−";
const formats = new Map<number, Intl.NumberFormat>();

function unsigned(value: number, digits: number): string {
  let format = formats.get(digits);
  if (!format) {
    format = new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
    formats.set(digits, format);
  }
  return format.format(Math.abs(value));
}

/** Whether a formatted number contains only zeros and therefore gets no sign. */
const isZero = (written: string): boolean => !/[1-9]/.test(written);

/**
 * A formatted number with a sign, or without one if it rounds to zero. It is formatted only once, because a page has
 * thousands of numbers.
 */
function signed(value: number, digits: number, plus: string): string {
  const written = unsigned(value, digits);
  const sign = value < 0 ? MINUS : value > 0 ? plus : "";
  return sign === "" || isZero(written) ? written : sign + written;
}

/** `EUR, JPY and USD`. */
export const formatList = (items: readonly string[]): string => new Intl.ListFormat("en-GB").format(items);

/** `1234.5` with 2 digits: `1,234.50`. Negative numbers carry a minus sign, positive ones none. */
export function formatNumber(value: number, digits = 0): string {
  return signed(value, digits, "");
}

/** Like `formatNumber`, with a plus sign before positive numbers. */
export function formatSigned(value: number, digits = 2): string {
  return signed(value, digits, "+");
}

/**
 * A signed number, in at most five characters up to 999 million: `+4.5`, `−66`, `+1.2k`, `−34k`. `largest`: the largest
 * size among the numbers shown together, so that those below 1,000 have the same decimals.
 */
export function formatSignedShort(value: number, largest = Math.abs(value)): string {
  const size = Math.abs(value);
  if (size < 9.95) return formatSigned(value, largest < 9.95 ? 1 : 0);
  if (size < 999.5) return formatSigned(value, 0);
  if (size < 9_950) return `${formatSigned(value / 1_000, 1)}k`;
  if (size < 999_500) return `${formatSigned(value / 1_000, 0)}k`;
  return `${formatSigned(value / 1_000_000, size < 9_950_000 ? 1 : 0)}M`;
}

/** A share in 0..1 as percent: `0.524` with 1 digit: `52.4 %`. */
export function formatShare(share: number, digits = 0): string {
  return `${formatNumber(share * 100, digits)} %`;
}

/**
 * Number of cases from which a rate in percent has one decimal: with fewer, a single case moves the rate by more than a
 * percentage point.
 */
const ONE_DECIMAL_FROM = 100;

/** Decimal places in percent of a rate over `n` cases. */
export const rateDigits = (n: number): number => (n < ONE_DECIMAL_FROM ? 0 : 1);

/** The sign of a number after rounding to this many digits. */
export function signOf(value: number, digits = 2): "up" | "down" | "flat" {
  if (isZero(unsigned(value, digits))) return "flat";
  return value > 0 ? "up" : "down";
}
