const MOMENT = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});

/** Formats ISO 8601 text as "25 December 2026 at 10:00 UTC". */
export function formatDateTime(isoText: string): string {
  return `${MOMENT.format(new Date(isoText))} UTC`;
}

/** The name of a plan with a capital letter: "Basic" for `basic`. */
export function formatPlanName(planTier: string): string {
  return planTier.charAt(0).toUpperCase() + planTier.slice(1);
}

/** A number with its noun, in the singular or plural: "1 day", "3 days". */
export function countWithNoun(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

const AMOUNT = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 2, maximumFractionDigits: 4 });

/** Formats decimal text as "49.90 EUR"; without a currency only the amount. */
export function formatMoney(amount: string, currency: string | null): string {
  const written = AMOUNT.format(Number(amount));
  return currency === null ? written : `${written} ${currency}`;
}
