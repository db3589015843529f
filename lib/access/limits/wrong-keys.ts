import { MINUTE_MS } from "@/lib/time";
import { clientNetwork } from "./client-network";
import { type AttemptLimit, type AttemptResult, countAttempt } from "./guards";

const PER_NETWORK: AttemptLimit = { limit: 20, windowMs: MINUTE_MS };

/**
 * Counts an unknown key or invalid link: one count for the interface and the sign-in page. Call it after the
 * look-up, so that a valid key is never limited by wrong ones. Keys and links are random and too long to be
 * guessed.
 */
export async function countWrongKey(address: string): Promise<AttemptResult> {
  return countAttempt(`wrong-key:${clientNetwork(address)}`, PER_NETWORK);
}
