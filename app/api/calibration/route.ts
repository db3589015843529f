import { narrowScope } from "@/lib/access/plans";
import { jsonAnswer } from "@/lib/api/answer";
import { cachedStatistic } from "@/lib/api/cached-statistic";
import { lateSignalsHeader } from "@/lib/api/late-signals-header";
import { parseQuery } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { readCalibration } from "@/lib/signals/quality/calibration";
import { addDays } from "@/lib/time";
import { CalibrationQuery, CalibrationReport } from "@/lib/wire/contracts/quality";

/** GET /api/calibration: how well each model's probabilities fit the outcomes. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  const { symbol, tf_code: timeframe, days, bins, expand } = parseQuery(request, CalibrationQuery);

  const scope = narrowScope(key.scope, { symbol, timeframe });
  const { body } = await cachedStatistic(
    key.subscriptionId,
    CalibrationReport,
    {
      name: "calibration",
      key: `${scope.id}|${bins}|${expand ?? ""}`,
      days,
      // Both versions only increase, so their sum changes whenever one of them does.
      version: key.versions.outcomes + key.versions.models,
      now: key.seenAt,
    },
    () => readCalibration(scope, { days, bins, expand }, key.seenAt),
  );
  return jsonAnswer(body, { headers: await lateSignalsHeader(scope, addDays(key.seenAt, -days)) });
});
