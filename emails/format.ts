const MOMENT = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});

/** "25 December 2026 at 10:00 UTC", from ISO 8601 text. */
export function formatDateTime(isoText: string): string {
  return `${MOMENT.format(new Date(isoText))} UTC`;
}

/** "Basic" for `basic`. */
export function planName(planTier: string): string {
  return planTier.charAt(0).toUpperCase() + planTier.slice(1);
}

/** "1 day", "3 days". */
export function pluralize(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

const AMOUNT = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 2, maximumFractionDigits: 4 });

/** "49.90 EUR", from decimal text; without a currency the amount alone. */
export function formatMoney(amount: string, currency: string | null): string {
  const written = AMOUNT.format(Number(amount));
  return currency === null ? written : `${written} ${currency}`;
}
