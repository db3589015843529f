import { MINUTE_MS, SECOND_MS } from "@/lib/time";

const LONGEST_MS = 5 * MINUTE_MS;

/**
 * Pause after so many failures, in ms: one second up to five minutes, with 25 % jitter so that clients do not retry
 * together.
 */
export const backOff = (failures: number): number =>
  Math.min(LONGEST_MS, SECOND_MS * 2 ** Math.min(failures, 20)) * (0.75 + Math.random() / 2);
