import { OPERATIONS } from "@/app/operations.generated";
import { CACHE_CONTROL_PUBLIC, conditionalAnswer } from "@/lib/api/conditional";
import { getOpenApiBody } from "@/lib/api/openapi/body";
import { requireAnonymousQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";

/** GET /openapi.json: the OpenAPI description, public. */
export const GET = route(
  async (request) => {
    await requireAnonymousQuota(request);
    return conditionalAnswer(request, getOpenApiBody(OPERATIONS), CACHE_CONTROL_PUBLIC);
  },
  { anyOrigin: true },
);
