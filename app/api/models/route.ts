import { cachedBody } from "@/lib/api/cached-body";
import { CACHE_CONTROL_PRIVATE, conditionalAnswer } from "@/lib/api/conditional";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { readChampionList } from "@/lib/models/read-champion-list";
import { ModelList } from "@/lib/wire/contracts/models";

/** GET /api/models: the champion of each slot, regardless of the key's scope. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request, { tryOut: true });
  await requireQuota(request, key, "read");
  const kept = { name: "models", key: "all", version: key.versions.models, now: key.seenAt };
  return conditionalAnswer(
    request,
    await cachedBody(ModelList, kept, readChampionList),
    CACHE_CONTROL_PRIVATE,
  );
});
