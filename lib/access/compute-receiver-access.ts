import type { ComputeReceiverAccess } from "@/db/queries/outbound-grants";
import { env } from "@/lib/runtime/env";
import { effectiveScope, OWNER_GRANT } from "./plans";

/** Subscription id of the owner of the installation, whose key is an environment variable. */
const OWNER = 0;

/**
 * The scope of a subscription at this moment, by the grant of its newest key in force. null: access has ended, or the key
 * is a try-out, which gets no pushed messages because their delay could not be enforced.
 */
export const computeReceiverAccess: ComputeReceiverAccess = ({ subscriptionId, grant }) => {
  const held = subscriptionId === OWNER && env().ownerApiKey !== null ? OWNER_GRANT : grant;
  if (held === null || (held === grant && grant.delayCandles !== null)) return null;
  return {
    planTier: held.planTier,
    plans: held === grant ? grant.plans : null,
    scope: effectiveScope({ ...held, rateLimitPerMin: null }),
  };
};
