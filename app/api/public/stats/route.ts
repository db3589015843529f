import { conditionalAnswer, PUBLIC_SHORT, tagged } from "@/lib/api/conditional";
import { PublicStats } from "@/lib/api/contracts/public-stats";
import { requirePublicQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { readPublicStats } from "@/lib/statistics/read-public-stats";

/** GET /api/public/stats: figures for the landing page, for anyone. */
export const GET = route(
  async (request) => {
    requirePublicQuota(request);
    const { stats } = await readPublicStats();
    return conditionalAnswer(request, tagged(PublicStats, stats), PUBLIC_SHORT);
  },
  { anyOrigin: true },
);
