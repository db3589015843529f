import type { AccessOfKey } from "@/db/queries/outbound-grants";
import { env } from "@/lib/runtime/env";
import { effectiveScope, OWNER_GRANT } from "./plans";

/** Row 0 is the owner of the installation, whose key stands in the environment. */
const OWNER = 0;

/** What a subscription may see at this moment, by the grant of its newest key in force; null: access is over. */
export const accessOfKey: AccessOfKey = ({ subscriptionId, grant }) => {
  const held = subscriptionId === OWNER && env().ownerApiKey !== null ? OWNER_GRANT : grant;
  if (held === null) return null;
  return {
    planTier: held.planTier,
    plans: held === grant ? grant.plans : null,
    scope: effectiveScope({ ...held, rateLimitPerMin: null }),
  };
};
