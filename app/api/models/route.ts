import { cachedBody } from "@/lib/api/cached-body";
import { CACHE_CONTROL_PRIVATE, conditionalAnswer } from "@/lib/api/conditional";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { listModels } from "@/lib/models/list-models";
import { ModelList } from "@/lib/wire/contracts/models";

/** GET /api/models: the champion of each slot, regardless of the key's scope. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request, { tryOut: true });
  await requireQuota(request, key, "read");
  const kept = { name: "models", key: "all", version: key.versions.models, now: key.seenAt };
  return conditionalAnswer(request, await cachedBody(ModelList, kept, listModels), CACHE_CONTROL_PRIVATE);
});
