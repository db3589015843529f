import type { SubscriberKey } from "@/db/queries/admin-subscribers";

/** What a key amounts to at `now`: replaced counts as revoked, the end of access as expired. */
export function keyState(key: SubscriberKey, now: Date): "active" | "expired" | "revoked" {
  if (key.revokedAt ?? key.rotatedAt) return "revoked";
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active";
}
