import { jsonAnswer } from "@/lib/api/answer";
import { PerformanceQuery } from "@/lib/api/contracts/quality";
import { parseQuery } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { getPerformanceBody } from "@/lib/quality/performance";

/** GET /api/performance: what following the signals of the last days came to, per slot and model. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  const { tf_code: timeframe, ...query } = parseQuery(request, PerformanceQuery);
  return jsonAnswer(await getPerformanceBody({ ...key, ...query, timeframe }, key.seenAt));
});
