import { narrowScope } from "@/lib/access/plans";
import { jsonAnswer } from "@/lib/api/answer";
import { cachedStatistic } from "@/lib/api/cached-statistic";
import { lateSignalsHeader } from "@/lib/api/late-signals-header";
import { parseQuery } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { readPerformance } from "@/lib/signals/quality/performance";
import { addDays } from "@/lib/time";
import { Performance, PerformanceQuery } from "@/lib/wire/contracts/quality";

/** GET /api/performance: the results of following the signals of the last days, per slot and model. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  const { symbol, tf_code: timeframe, days } = parseQuery(request, PerformanceQuery);

  const scope = narrowScope(key.scope, { symbol, timeframe });
  const { body } = await cachedStatistic(
    key.subscriptionId,
    Performance,
    {
      name: "performance",
      key: scope.id,
      days,
      // Both versions only increase, so their sum changes whenever one of them does.
      version: key.versions.signals + key.versions.outcomes,
      now: key.seenAt,
    },
    () => readPerformance(scope, { days }, key.seenAt),
  );
  return jsonAnswer(body, { headers: await lateSignalsHeader(scope, addDays(key.seenAt, -days)) });
});
