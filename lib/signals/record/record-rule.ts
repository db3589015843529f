import { type CommitmentTiming, isCommittedInTime } from "@/lib/market/committed-in-time";
import { env } from "@/lib/runtime/env";

/** Whether this installation shows a simulated market. Its record then consists of simulated signals only. */
export const isDemonstration = (): boolean => env().marketFeed === "demo";

/** The counting rule, stored with the sums. Sums under another rule are rebuilt. */
export const recordRule = (): string => (isDemonstration() ? "5 simulated" : "5 in time");

/** Whether the record counts a signal: committed in time, or any simulated one in a demonstration. */
export const isCounted = (entered: CommitmentTiming): boolean =>
  isDemonstration() ? entered.simulated : isCommittedInTime(entered);

/** Whether a signal counts in the separate sums: entered later, on a real market. */
export const isEnteredLater = (entered: CommitmentTiming): boolean =>
  !isDemonstration() && !entered.simulated && !isCommittedInTime(entered);

const DEMONSTRATION = "Simulated market: a demonstration; nothing here was committed in time.";

/** The notice in every answer of a demonstration; null on a real market. */
export const demonstrationNotice = (): string | null => (isDemonstration() ? DEMONSTRATION : null);
