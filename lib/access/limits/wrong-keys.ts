import { MINUTE_MS } from "@/lib/time";
import { clientNetwork } from "./client-network";
import { type Attempt, countAttempt, type Guard } from "./guards";

const PER_NETWORK: Guard = { limit: 20, windowMs: MINUTE_MS };

/**
 * Counts a key that is not known, or a link that is not valid: one count for the interface and the sign-in page. Ask
 * only after the look-up: a right key never waits for a limit of wrong ones. Both are random and too long to be guessed.
 */
export async function countWrongKey(address: string): Promise<Attempt> {
  return countAttempt(`wrong-key:${clientNetwork(address)}`, PER_NETWORK);
}
