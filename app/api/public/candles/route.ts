import { CACHE_CONTROL_PUBLIC, conditionalAnswer, serialiseWithEtag } from "@/lib/api/conditional";
import { parseQuery } from "@/lib/api/parse";
import { requireRecordIsOnAndQuota } from "@/lib/api/public-record";
import { route } from "@/lib/api/route";
import { readPublicCandles } from "@/lib/signals/record/read-candles";
import { PublicCandles, PublicCandlesQuery } from "@/lib/wire/contracts/record";

/** GET /api/public/candles: the candles behind the outcomes, if the feed's licence allows publishing them. */
export const GET = route(
  async (request) => {
    await requireRecordIsOnAndQuota(request);
    const candles = await readPublicCandles(parseQuery(request, PublicCandlesQuery));
    return conditionalAnswer(request, serialiseWithEtag(PublicCandles, candles), CACHE_CONTROL_PUBLIC);
  },
  { anyOrigin: true },
);
