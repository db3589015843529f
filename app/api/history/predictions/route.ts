import { narrowScope } from "@/lib/access/plans";
import { jsonAnswer } from "@/lib/api/answer";
import { cachedStatistic } from "@/lib/api/cached-statistic";
import { parseQuery } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { listPredictions } from "@/lib/signals/predictions";
import { Predictions, PredictionsQuery } from "@/lib/wire/contracts/signals";

/** GET /api/history/predictions: predictions summed up by slot, model and date, newest first. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  const { symbol, tf_code: timeframe, days, limit } = parseQuery(request, PredictionsQuery);

  const scope = narrowScope(key.scope, { symbol, timeframe });
  const { body } = await cachedStatistic(
    key.subscriptionId,
    Predictions,
    {
      name: "predictions",
      key: `${scope.id}|${limit}`,
      days,
      version: key.versions.signals,
      now: key.seenAt,
    },
    () => listPredictions(scope, { days, limit }, key.seenAt),
  );
  return jsonAnswer(body);
});
