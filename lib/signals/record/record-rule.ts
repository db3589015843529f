import { type CommitmentTiming, isCommittedInTime } from "@/lib/market/committed-in-time";
import { env } from "@/lib/runtime/env";

/** Whether this installation shows a simulated market. Its record then consists of simulated signals only. */
export const isDemonstration = (): boolean => env().marketFeed === "demo";

/** Name of the counting rule, stored with the sums. Sums that were made under another rule are rebuilt. */
export const countingRule = (): string => (isDemonstration() ? "6 simulated" : "6 in time");

/** Whether the record counts a signal: in a demonstration every simulated one, otherwise those committed in time. */
export const isCounted = (entered: CommitmentTiming): boolean =>
  isDemonstration() ? entered.simulated : isCommittedInTime(entered);

/** Whether a signal of a real market was not committed in time. Such signals have sums apart from the record. */
export const isEnteredLater = (entered: CommitmentTiming): boolean =>
  !isDemonstration() && !entered.simulated && !isCommittedInTime(entered);

const DEMONSTRATION = "Simulated market: a demonstration; nothing here was committed in time.";

/** The notice in answers about the record if the market is simulated; null on a real market. */
export const demonstrationNotice = (): string | null => (isDemonstration() ? DEMONSTRATION : null);
