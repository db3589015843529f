import { env } from "@/lib/runtime/env";
import { HOUR_MS } from "@/lib/time";
import type { Subscriber } from "./find-subscriber";

/** Hours until a visitor's demo key expires. */
export const DEMO_KEY_HOURS = 24;

/**
 * Whether a subscriber is a demo visitor: on a service with simulated market data, without a mail address, and with a
 * key that was valid for at most a day.
 */
export function isDemoAccess({
  email,
  expiresAt,
  keyCreatedAt,
}: Pick<Subscriber, "email" | "expiresAt" | "keyCreatedAt">): boolean {
  if (env().marketFeed !== "demo" || email !== null || expiresAt === null) return false;
  return expiresAt.getTime() - keyCreatedAt.getTime() <= DEMO_KEY_HOURS * HOUR_MS;
}
