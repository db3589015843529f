import { clientNetwork } from "./client-network";
import { localLimiter, type Quota } from "./rolling-window";

const WRONG_KEYS_PER_MIN = 20;

const counted = (address: string) => `wrong-key:${clientNetwork(address)}`;

/** Counts a key that is not known, or a link that is not valid: one count for the interface and the sign-in page. */
export function countWrongKey(address: string): Quota {
  return localLimiter().take(counted(address), WRONG_KEYS_PER_MIN);
}

/** Whether this network sent so many within the last minute that further ones are refused without a look-up. */
export function hasSentTooManyWrongKeys(address: string): boolean {
  return localLimiter().isExhausted(counted(address), WRONG_KEYS_PER_MIN);
}
