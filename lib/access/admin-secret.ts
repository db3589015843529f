import { env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { sameSecret } from "@/lib/runtime/secrets";
import { MINUTE_MS } from "@/lib/time";
import { clientNetwork } from "./limits/client-network";
import { countAttempt, type Guard, isGuardClosed } from "./limits/guards";
import { localLimiter } from "./limits/rolling-window";

const PER_ADDRESS: Guard = { limit: 10, windowMs: MINUTE_MS };
const ALL_FAILURES = "admin-failures";

/**
 * Result of checking the administrator secret. `blocked` says nothing about the secret: there were too many wrong ones.
 */
export type SecretVerdict =
  | { verdict: "right" }
  | { verdict: "missing" }
  | { verdict: "wrong" }
  | { verdict: "blocked"; retryAfterSeconds: number };

/**
 * Judges the administrator secret, wherever it was typed or sent. After ten wrong ones in a minute an address is
 * blocked; header and sign-in page share one count over all replicas. A missing secret does not count. Wrong ones are
 * counted over all addresses together as well; past that limit a wrong one is "blocked" wherever it comes from, and the
 * right one still passes.
 */
export async function judgeAdminSecret(sent: string | null, address: string): Promise<SecretVerdict> {
  const secret = sent?.trim();
  if (!secret) return { verdict: "missing" };
  const attempts = `admin-failure:${clientNetwork(address)}`;
  // A wrong one counts in this process before anything is awaited: guesses sent at once get ten answers at most.
  if (isAdminSecret(secret) && !(await isGuardClosed(attempts, PER_ADDRESS))) return { verdict: "right" };
  const own = await countAttempt(attempts, PER_ADDRESS);
  if (!own.allowed) return { verdict: "blocked", retryAfterSeconds: own.resetSeconds };
  const all = await countAttempt(ALL_FAILURES, { limit: env().adminFailuresPerMin, windowMs: MINUTE_MS });
  if (all.allowed) return { verdict: "wrong" };
  noteManyFailures();
  return { verdict: "blocked", retryAfterSeconds: all.resetSeconds };
}

/** While the secret is being replaced, another one opens as well. */
function isAdminSecret(sent: string): boolean {
  const { adminSecret, beside } = env();
  // Each is compared, so that the time does not depend on which one it is.
  const same = [adminSecret, ...beside.ADMIN_SECRET].filter((secret) => sameSecret(sent, secret));
  return same.length > 0;
}

/** Someone tries secrets from many addresses: named in the log once a minute. */
function noteManyFailures(): void {
  if (!localLimiter().take(`${ALL_FAILURES}-named`, 1).allowed) return;
  log("warn", "wrong administrator secrets come from many addresses", { count: env().adminFailuresPerMin });
}
