import { jsonAnswer } from "@/lib/api/answer";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { getPredictionsBody } from "@/lib/signals/predictions";
import { PredictionsQuery } from "@/lib/wire/contracts/signals";
import { parseQuery } from "@/lib/wire/params";

/** GET /api/history/predictions: what was predicted, summed up by slot, model and date; newest first. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  const { symbol, tf_code: timeframe, days, limit } = parseQuery(request, PredictionsQuery);

  const { scope, versions, seenAt } = key;
  const wanted = { scope, version: versions.signals, symbol, timeframe, days, limit };
  return jsonAnswer(await getPredictionsBody(wanted, seenAt));
});
