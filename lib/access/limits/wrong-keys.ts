import { clientNetwork } from "./client-network";
import { localLimiter, type Quota } from "./rolling-window";

const WRONG_KEYS_PER_MIN = 20;

const counted = (address: string) => `wrong-key:${clientNetwork(address)}`;

/**
 * Counts a key that is not known, or a link that is not valid: one count for the interface and the sign-in page. Ask
 * only after the look-up: a right key never waits for a limit of wrong ones. Both are random and too long to be guessed.
 */
export function countWrongKey(address: string): Quota {
  return localLimiter().take(counted(address), WRONG_KEYS_PER_MIN);
}
