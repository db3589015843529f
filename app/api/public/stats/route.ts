import { conditionalAnswer, PUBLIC_SHORT } from "@/lib/api/conditional";
import { requirePublicQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { getPublicStatsBody } from "@/lib/public-stats";

/** GET /api/public/stats: figures for the landing page, for anyone. */
export const GET = route(
  async (request) => {
    requirePublicQuota(request);
    return conditionalAnswer(request, await getPublicStatsBody(new Date()), PUBLIC_SHORT);
  },
  { anyOrigin: true },
);
