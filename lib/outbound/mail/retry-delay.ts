import { HOUR_MS } from "@/lib/time";

const FIRST_MS = 5_000;
const LONGEST_MS = 6 * HOUR_MS;
/** Longest Retry-After that is obeyed: an attempt once an hour does not burden a provider. */
const LONGEST_WISH_MS = HOUR_MS;

/** How long a mail is tried before it is given up: a quota or an outage of a provider may last days. */
export const GIVE_UP_AFTER_MS = 72 * HOUR_MS;

/**
 * Pause before the next attempt, in ms: 5 s, doubled with each attempt up to 6 h, of which a random half is taken off
 * so that many mails do not come back together; never sooner than the provider asked for.
 *
 * `attempts` counts those made, from 1; `random` is in [0, 1).
 */
export function retryDelayMs(
  attempts: number,
  retryAfterSeconds: number | undefined,
  random: number,
): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 30));
  const wished = Math.min(LONGEST_WISH_MS, (retryAfterSeconds ?? 0) * 1000);
  return Math.round(Math.max(wished, full / 2 + (full / 2) * random));
}
