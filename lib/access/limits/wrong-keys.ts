import { MINUTE_MS } from "@/lib/time";
import { type AttemptLimit, type AttemptResult, recordAttempt } from "./attempt-limits";
import { clientNetwork } from "./client-network";

const PER_NETWORK: AttemptLimit = { limit: 20, windowMs: MINUTE_MS };

/**
 * Counts an unknown key or token, or an invalid sign-in link, from an address. The API and the sign-in page share one
 * count, at most 20 a minute per network. Call it after the look-up, so that a valid key is never limited by wrong
 * ones.
 */
export async function recordWrongKey(address: string): Promise<AttemptResult> {
  return recordAttempt(`wrong-key:${clientNetwork(address)}`, PER_NETWORK);
}
