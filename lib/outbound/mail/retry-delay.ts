import { HOUR_MS } from "@/lib/time";

const FIRST_MS = 5_000;
const LONGEST_MS = 6 * HOUR_MS;
/** Longest Retry-After that is respected: one attempt an hour does not burden a provider. */
const LONGEST_WISH_MS = HOUR_MS;

/** Age at which a mail is given up: a provider's quota or outage may last days. */
export const MAIL_GIVE_UP_AFTER_MS = 72 * HOUR_MS;

/**
 * Delay before the next attempt, in ms: 5 s, doubled with each attempt up to 6 h, minus up to half at random so that
 * many mails do not retry together. It is at least the provider's Retry-After, up to an hour.
 *
 * `attempts` counts those made, from 1; `random` is in [0, 1).
 */
export function mailRetryDelayMs(
  attempts: number,
  retryAfterSeconds: number | undefined,
  random: number,
): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 30));
  const wished = Math.min(LONGEST_WISH_MS, (retryAfterSeconds ?? 0) * 1000);
  return Math.round(Math.max(wished, full / 2 + (full / 2) * random));
}
