import { env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { isSameSecret } from "@/lib/runtime/secrets";
import { MINUTE_MS } from "@/lib/time";
import { type AttemptLimit, isAttemptLimitReached, recordAttempt } from "./limits/attempt-limits";
import { clientNetwork } from "./limits/client-network";
import { localLimiter } from "./limits/rolling-window";

const PER_ADDRESS: AttemptLimit = { limit: 10, windowMs: MINUTE_MS };
const ALL_FAILURES = "admin-failures";

/** Result of checking the administrator secret. `blocked`: there were too many wrong attempts. */
export type AdminSecretVerdict =
  | { verdict: "right" }
  | { verdict: "missing" }
  | { verdict: "wrong" }
  | { verdict: "blocked"; retryAfterSeconds: number };

/**
 * Checks the administrator secret of a header or of the sign-in page; both share one count over all replicas. Ten wrong
 * secrets from an address within a minute block it, even for the right secret. A missing secret does not count. When
 * the wrong secrets of all addresses exceed ADMIN_FAILURES_PER_MIN, every wrong secret gets `blocked`, while the right
 * one still passes from an address that is not blocked.
 */
export async function checkAdminSecret(sent: string | null, address: string): Promise<AdminSecretVerdict> {
  const secret = sent?.trim();
  if (!secret) return { verdict: "missing" };
  const attempts = `admin-failure:${clientNetwork(address)}`;
  if (isAdminSecret(secret) && !(await isAttemptLimitReached(attempts, PER_ADDRESS)))
    return { verdict: "right" };
  // `recordAttempt` counts in this process before its first await, so that at most ten of simultaneous guesses are
  // answered.
  const own = await recordAttempt(attempts, PER_ADDRESS);
  if (!own.allowed) return { verdict: "blocked", retryAfterSeconds: own.resetSeconds };
  const all = await recordAttempt(ALL_FAILURES, { limit: env().adminFailuresPerMin, windowMs: MINUTE_MS });
  if (all.allowed) return { verdict: "wrong" };
  noteManyFailures();
  return { verdict: "blocked", retryAfterSeconds: all.resetSeconds };
}

/** Whether the text is the administrator secret or, during a rotation, the previous or next one. */
function isAdminSecret(sent: string): boolean {
  const { adminSecret, alternates } = env();
  // Compares with every accepted secret, so that the response time does not reveal which one matched.
  const same = [adminSecret, ...alternates.ADMIN_SECRET].filter((secret) => isSameSecret(sent, secret));
  return same.length > 0;
}

/** Logs, at most once a minute, that many addresses send wrong secrets. */
function noteManyFailures(): void {
  if (!localLimiter().take(`${ALL_FAILURES}-named`, 1).allowed) return;
  log("warn", "wrong administrator secrets come from many addresses", { count: env().adminFailuresPerMin });
}
