import { parseQuery } from "@/lib/api/parse";
import { answerFromRecord, requireRecordIsOnAndQuota } from "@/lib/api/public-record";
import { route } from "@/lib/api/route";
import { readRecordModels } from "@/lib/signals/record/read-models";
import { PublicModels, PublicModelsQuery } from "@/lib/wire/contracts/record";

/** GET /api/public/models: every model with its sealed claim and its results. */
export const GET = route(
  async (request) => {
    await requireRecordIsOnAndQuota(request);
    const query = parseQuery(request, PublicModelsQuery);
    return answerFromRecord(request, PublicModels, query, () => readRecordModels(query));
  },
  { anyOrigin: true },
);
