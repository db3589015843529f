import { env } from "@/lib/runtime/env";

/** A signal's entry in the ledger, and the candle that it was made from. */
export interface Entered {
  /** When its commitment was entered, by the database's clock; null: there is none. */
  committedAt: Date | null;
  /** Open and close of its candle. */
  ts: Date;
  closesAt: Date;
  /** The market is simulated: nothing there can be committed in time. */
  simulated: boolean;
}

/**
 * Whether a signal was committed in time: its commitment was entered less than one length of its timeframe after its
 * candle closed. It is made of entries that never change, so that anyone comes to the same answer.
 */
export const isInTime = ({ committedAt, ts, closesAt, simulated }: Entered): boolean =>
  !simulated &&
  committedAt !== null &&
  committedAt.getTime() < closesAt.getTime() + (closesAt.getTime() - ts.getTime());

/** Whether this installation shows a simulated market: its record is a demonstration, made of simulated signals alone. */
export const isDemonstration = (): boolean => env().marketFeed === "demo";

/** What the record counts here. Another rule than the one that the sums were made by makes them again. */
export const recordRule = (): string => (isDemonstration() ? "2 simulated" : "2 in time");

/** Whether the record counts a signal: those committed in time, or the simulated ones of a demonstration. */
export const isCounted = (entered: Entered): boolean =>
  isDemonstration() ? entered.simulated : isInTime(entered);

const DEMONSTRATION = "Simulated market: a demonstration; nothing here was committed in time.";

/** The mark of every page, file and answer of a demonstration; null where the market is real. */
export const demonstrationNotice = (): string | null => (isDemonstration() ? DEMONSTRATION : null);
