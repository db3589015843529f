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

/** Plans that are in force at the same time, the highest first, until an instant (ISO 8601); null: without an end. */
export interface PlansUntil {
  plans: readonly string[];
  until: string | null;
}

/** The end of access of a subscriber. */
export interface AccessEnd {
  /** ISO 8601; null: access does not end. */
  expiresAt: string | null;
  /** ISO 8601: end of the paid time, if days of grace follow it. */
  paidUntil?: string | null | undefined;
}

const formatEnd = (until: string | null) => (until === null ? "no end date" : formatDateTime(until));

/** Names and values of the end of access: one date, or the end of the paid time and that of the days of grace. */
export function endRows({ expiresAt, paidUntil = null }: AccessEnd): [string, string][] {
  if (paidUntil === null) return [["Access until", formatEnd(expiresAt)]];
  return [["Paid until", formatDateTime(paidUntil)], graceRow(expiresAt)];
}

const graceRow = (expiresAt: string | null): [string, string] => [
  "Access works until",
  `${formatEnd(expiresAt)}, with days of grace`,
];

/** Names and values that say which plans are in force until when. */
export function accessRows({
  planTier,
  expiresAt,
  paidUntil = null,
  stretches = null,
}: AccessEnd & {
  planTier: string;
  /** The plans in order, if there are several. */
  stretches?: readonly PlansUntil[] | null | undefined;
}): [string, string][] {
  if (stretches === null) return [["Plan", formatPlanName(planTier)], ...endRows({ expiresAt, paidUntil })];
  const rows = stretches.map(({ plans, until }, i): [string, string] => [
    `${i === 0 ? "" : "Then "}${plans.map(formatPlanName).join(" and ")} until`,
    formatEnd(i === stretches.length - 1 ? (paidUntil ?? until) : until),
  ]);
  return paidUntil === null ? rows : [...rows, graceRow(expiresAt)];
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
