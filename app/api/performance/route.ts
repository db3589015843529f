import { jsonAnswer } from "@/lib/api/answer";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { getPerformanceBody } from "@/lib/signals/quality/performance";
import { PerformanceQuery } from "@/lib/wire/contracts/quality";
import { parseQuery } from "@/lib/wire/params";

/** GET /api/performance: what following the signals of the last days came to, per slot and model. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  const { tf_code: timeframe, ...query } = parseQuery(request, PerformanceQuery);
  return jsonAnswer(await getPerformanceBody({ ...key, ...query, timeframe }, key.seenAt));
});
