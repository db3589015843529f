import { env } from "../env";
import { AppError } from "../errors";
import { localLimiter } from "../rate-limit";
import { sameSecret } from "../secrets";
import { clientAddress } from "./client-address";

const FAILURES_PER_MIN = 10;

/**
 * Lets through who sends the administrator secret. Throws 401 without one and 403 with a wrong one. After ten
 * failures in a minute an address gets 429 and its guesses are no longer even compared.
 */
export function requireAdmin(request: Request): void {
  const attempts = `admin-failure:${clientAddress(request.headers)}`;
  const blocked = localLimiter().isExhausted(attempts, FAILURES_PER_MIN);
  const sent = request.headers.get("x-admin-secret")?.trim();
  if (!blocked && sent && sameSecret(sent, env().adminSecret)) return;
  const quota = localLimiter().take(attempts, FAILURES_PER_MIN);
  if (!quota.allowed)
    throw new AppError("rate_limited", { headers: { "Retry-After": String(quota.resetSeconds) } });
  throw new AppError(sent ? "admin_secret_invalid" : "admin_secret_missing");
}
