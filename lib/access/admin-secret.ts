import { env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { sameSecret } from "@/lib/runtime/secrets";
import { MINUTE_MS } from "@/lib/time";
import { clientNetwork } from "./limits/client-network";
import { type AttemptLimit, countAttempt, isGuardClosed } from "./limits/guards";
import { localLimiter } from "./limits/rolling-window";

const PER_ADDRESS: AttemptLimit = { limit: 10, windowMs: MINUTE_MS };
const ALL_FAILURES = "admin-failures";

/**
 * Result of checking the administrator secret. `blocked`: too many wrong attempts, so that the secret was not
 * compared.
 */
export type SecretCheck =
  | { verdict: "right" }
  | { verdict: "missing" }
  | { verdict: "wrong" }
  | { verdict: "blocked"; retryAfterSeconds: number };

/**
 * Checks the administrator secret of a header or the sign-in page; both share one count over all replicas. Ten
 * wrong secrets in a minute block an address. A missing secret does not count. Above the limit of all addresses
 * together every wrong secret gets "blocked", while the right one still passes.
 */
export async function checkAdminSecret(sent: string | null, address: string): Promise<SecretCheck> {
  const secret = sent?.trim();
  if (!secret) return { verdict: "missing" };
  const attempts = `admin-failure:${clientNetwork(address)}`;
  // Counted in this process before the first await, so that simultaneous guesses get at most ten answers.
  if (isAdminSecret(secret) && !(await isGuardClosed(attempts, PER_ADDRESS))) return { verdict: "right" };
  const own = await countAttempt(attempts, PER_ADDRESS);
  if (!own.allowed) return { verdict: "blocked", retryAfterSeconds: own.resetSeconds };
  const all = await countAttempt(ALL_FAILURES, { limit: env().adminFailuresPerMin, windowMs: MINUTE_MS });
  if (all.allowed) return { verdict: "wrong" };
  noteManyFailures();
  return { verdict: "blocked", retryAfterSeconds: all.resetSeconds };
}

/** During a rotation the second secret is accepted as well. */
function isAdminSecret(sent: string): boolean {
  const { adminSecret, alternates } = env();
  // Compares all of them, so that the time does not reveal which one matched.
  const same = [adminSecret, ...alternates.ADMIN_SECRET].filter((secret) => sameSecret(sent, secret));
  return same.length > 0;
}

/** Wrong secrets from many addresses: one log line a minute. */
function noteManyFailures(): void {
  if (!localLimiter().take(`${ALL_FAILURES}-named`, 1).allowed) return;
  log("warn", "wrong administrator secrets come from many addresses", { count: env().adminFailuresPerMin });
}
