import { env } from "@/lib/runtime/env";
import { sameSecret } from "@/lib/runtime/secrets";
import { clientNetwork } from "./limits/client-network";
import { localLimiter } from "./limits/rolling-window";

const FAILURES_PER_MIN = 10;

/**
 * Result of checking the administrator secret. `blocked`: after too many wrong ones it was not compared (decision 9).
 */
export type SecretVerdict =
  | { verdict: "right" }
  | { verdict: "missing" }
  | { verdict: "wrong" }
  | { verdict: "blocked"; retryAfterSeconds: number };

/**
 * Judges the administrator secret, wherever it was typed or sent. After ten wrong ones in a minute an address is
 * blocked; header and sign-in page share one count, so that using both does not double the guesses (decision 93). A
 * missing secret does not count (decision 127).
 */
export function judgeAdminSecret(sent: string | null, address: string): SecretVerdict {
  const secret = sent?.trim();
  if (!secret) return { verdict: "missing" };
  const attempts = `admin-failure:${clientNetwork(address)}`;
  const blocked = localLimiter().isExhausted(attempts, FAILURES_PER_MIN);
  if (!blocked && sameSecret(secret, env().adminSecret)) return { verdict: "right" };
  const quota = localLimiter().take(attempts, FAILURES_PER_MIN);
  if (!quota.allowed) return { verdict: "blocked", retryAfterSeconds: quota.resetSeconds };
  return { verdict: "wrong" };
}
