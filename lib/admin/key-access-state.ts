import { isRevokedOrRotated } from "@/db/queries/key-state";
import type { SubscriberKey } from "@/db/queries/subscribers";
import type { AccessState } from "@/lib/vocabulary";

/** State of a key at `now`: a replaced key counts as revoked, and one past its end as expired. */
export function keyAccessState(key: SubscriberKey, now: Date): Exclude<AccessState, "none"> {
  if (isRevokedOrRotated(key)) return "revoked";
  if (key.suspendedAt !== null) return "suspended";
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active";
}
