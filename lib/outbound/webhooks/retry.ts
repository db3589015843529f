import { HOUR_MS, MINUTE_MS, SECOND_MS } from "@/lib/time";

/** Delays between the attempts of a delivery: ten attempts over a day. */
export const RETRY_DELAYS_MS = [
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  6 * HOUR_MS,
  10 * HOUR_MS,
] as const;

const SPREAD = 0.1;
const LONGEST_WISH_MS = HOUR_MS;

/**
 * Delay after the failed attempt number `attempts`, in ms, with 10 % jitter so that many deliveries do not retry
 * together; at least the receiver's Retry-After, up to an hour. null: it was the last attempt. `random` is in [0, 1).
 */
export function webhookRetryDelayMs(
  attempts: number,
  retryAfterSeconds: number | null,
  random: number,
): number | null {
  const pause = RETRY_DELAYS_MS[attempts - 1];
  if (pause === undefined) return null;
  const spread = pause * (1 + SPREAD * (2 * random - 1));
  return Math.round(Math.max(spread, Math.min(LONGEST_WISH_MS, (retryAfterSeconds ?? 0) * SECOND_MS)));
}
