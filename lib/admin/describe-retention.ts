import type { RetentionState } from "@/db/queries/retention";
import { RETENTION_WORDS } from "@/lib/settings/retention-words";
import { RETAINED_KINDS, type RetainedKind } from "@/lib/vocabulary";

export interface RetentionDescription {
  what: string;
  /** null: forever. */
  days: number | null;
  why: string;
  /** Rows that the last run deleted or emptied; null if there was no run, or if this kind is kept forever. */
  removed: number | null;
}

const FOR_EVER: { what: string; why: string }[] = [
  { what: "Signals, outcomes, candles, models", why: "The track record is computed from them." },
  {
    what: "Positions, subscriptions, invoices, audit log",
    why: "They are the record of subscribers and payments.",
  },
];

/** Retention of each kind of data with its reason, and the result of the last run. */
export function describeRetention(
  days: Readonly<Record<RetainedKind, number>>,
  last: RetentionState | null,
): RetentionDescription[] {
  const limited = RETAINED_KINDS.map((kind) => ({
    ...RETENTION_WORDS[kind],
    days: days[kind] === 0 ? null : days[kind],
    removed: last === null || days[kind] === 0 ? null : (last.removed[kind] ?? 0),
  }));
  return [...limited, ...FOR_EVER.map((words) => ({ ...words, days: null, removed: null }))];
}
