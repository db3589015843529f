import { MINUTE_MS, SECOND_MS } from "@/lib/time";

const LONGEST_MS = 5 * MINUTE_MS;

/**
 * Delay before the next attempt, in ms. It doubles with each failure, from one second to five minutes, and is changed
 * by up to 25 % at random, so that many retries do not come at the same time.
 */
export const backOffMs = (failures: number): number =>
  Math.min(LONGEST_MS, SECOND_MS * 2 ** Math.min(failures, 20)) * (0.75 + Math.random() / 2);
