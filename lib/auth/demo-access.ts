import { env } from "@/lib/runtime/env";
import { HOUR_MS } from "@/lib/time";
import type { Subscriber } from "./find-subscriber";

/** How long a visitor's demo key works. */
export const DEMO_KEY_HOURS = 24;

/** Whether a subscriber is a visitor who tries the simulated market: it was given for a day, and to no address. */
export function isDemoAccess({
  email,
  expiresAt,
  keyCreatedAt,
}: Pick<Subscriber, "email" | "expiresAt" | "keyCreatedAt">): boolean {
  if (env().marketFeed !== "demo" || email !== null || expiresAt === null) return false;
  return expiresAt.getTime() - keyCreatedAt.getTime() <= DEMO_KEY_HOURS * HOUR_MS;
}
