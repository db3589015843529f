import { CACHE_CONTROL_PUBLIC, conditionalAnswer, serialiseWithEtag } from "@/lib/api/conditional";
import { requireAnonymousQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { readPublicStats } from "@/lib/health/read-public-stats";
import { PublicStats } from "@/lib/wire/contracts/public-stats";

/** GET /api/public/stats: the figures of the landing page. */
export const GET = route(
  async (request) => {
    await requireAnonymousQuota(request);
    const { stats } = await readPublicStats();
    return conditionalAnswer(request, serialiseWithEtag(PublicStats, stats), CACHE_CONTROL_PUBLIC);
  },
  { anyOrigin: true },
);
