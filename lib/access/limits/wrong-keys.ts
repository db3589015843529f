import { clientNetwork } from "./client-network";
import type { Quota } from "./rolling-window";
import { takeQuota } from "./shared/take-quota";

const WRONG_KEYS_PER_MIN = 20;

const counted = (address: string) => `wrong-key:${clientNetwork(address)}`;

/**
 * Counts a key that is not known, or a link that is not valid: one count for the interface and the sign-in page. Ask
 * only after the look-up: a right key never waits for a limit of wrong ones. Both are random and too long to be guessed.
 */
export async function countWrongKey(address: string): Promise<Quota> {
  return takeQuota(counted(address), WRONG_KEYS_PER_MIN);
}
