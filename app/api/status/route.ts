import { respond } from "@/lib/api/answer";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { readStatus } from "@/lib/health/read-status";
import { Status } from "@/lib/wire/contracts/status";

/** GET /api/status: the state of components of the service and of each slot with a champion; 200 in every state. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request, { tryOut: true });
  const { limit, remaining } = await requireQuota(request, key, "read");
  return respond(Status, {
    ...(await readStatus(key.seenAt)),
    key: { plan_tier: key.planTier, rate_limit_per_min: limit, remaining },
  });
});
