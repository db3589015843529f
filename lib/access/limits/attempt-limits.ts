import { db } from "@/db/client";
import { addAttempt, readAttempts } from "@/db/queries/attempt-counts";
import { processWide } from "@/lib/runtime/process-wide";
import { sha256 } from "@/lib/runtime/secrets";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import { type HOUR_MS, type MINUTE_MS, SECOND_MS } from "@/lib/time";
import { RollingWindowLimiter } from "./rolling-window";

/** Attempts allowed per name and window. */
export interface AttemptLimit {
  limit: number;
  windowMs: typeof MINUTE_MS | typeof HOUR_MS;
}

export interface AttemptResult {
  allowed: boolean;
  resetSeconds: number;
}

/**
 * Counts an attempt that must be limited (a wrong secret, a wrong key, a requested link), over all processes and
 * replicas. While the database does not answer, this process counts alone, so that the limit still holds.
 */
export async function recordAttempt(name: string, { limit, windowMs }: AttemptLimit): Promise<AttemptResult> {
  const here = localGuards(windowMs).take(name, limit);
  // Over the limit in this process alone: the database need not be asked.
  if (!here.allowed) return here;
  try {
    const { n, resetSeconds } = await addAttempt(db(), sha256(name), windowMs / SECOND_MS);
    return { allowed: n <= limit, resetSeconds };
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    return here;
  }
}

/** Whether the next attempt would be refused. Counts nothing. */
export async function isAttemptLimitReached(
  name: string,
  { limit, windowMs }: AttemptLimit,
): Promise<boolean> {
  if (localGuards(windowMs).isExhausted(name, limit)) return true;
  try {
    return (await readAttempts(db(), sha256(name), windowMs / SECOND_MS)).n >= limit;
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    return false;
  }
}

/** This process's limiter for attempts, one for each length of window. */
const localGuards = (windowMs: AttemptLimit["windowMs"]) =>
  processWide(`guards-${windowMs}`, () => new RollingWindowLimiter(50_000, windowMs));
