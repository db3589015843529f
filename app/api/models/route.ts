import { conditionalAnswer, PRIVATE_REVALIDATE } from "@/lib/api/conditional";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { getModelsBody } from "@/lib/models/list-models";

/** GET /api/models: the champion of each slot. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  return conditionalAnswer(request, await getModelsBody(key.versions.models, key.seenAt), PRIVATE_REVALIDATE);
});
