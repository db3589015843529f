import { type Entered, isInTime } from "@/lib/market/in-time";
import { env } from "@/lib/runtime/env";

/** Whether this installation shows a simulated market: its record is a demonstration, made of simulated signals alone. */
export const isDemonstration = (): boolean => env().marketFeed === "demo";

/** What the record counts here. Another rule than the one that the sums were made by makes them again. */
export const recordRule = (): string => (isDemonstration() ? "3 simulated" : "3 in time");

/** Whether the record counts a signal: those committed in time, or the simulated ones of a demonstration. */
export const isCounted = (entered: Entered): boolean =>
  isDemonstration() ? entered.simulated : isInTime(entered);

/** Whether a signal is summed up beside the record: what was entered later where the market is real. */
export const isShownApart = (entered: Entered): boolean =>
  !isDemonstration() && !entered.simulated && !isInTime(entered);

const DEMONSTRATION = "Simulated market: a demonstration; nothing here was committed in time.";

/** The mark of every answer of a demonstration; null where the market is real. */
export const demonstrationNotice = (): string | null => (isDemonstration() ? DEMONSTRATION : null);
