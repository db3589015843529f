import { jsonAnswer } from "@/lib/api/answer";
import { CalibrationQuery } from "@/lib/api/contracts/quality";
import { parseQuery } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { getCalibrationBody } from "@/lib/quality/calibration";

/** GET /api/calibration: how well each model's probabilities fit what happened. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  const { tf_code: timeframe, ...query } = parseQuery(request, CalibrationQuery);
  return jsonAnswer(await getCalibrationBody({ ...key, ...query, timeframe }, key.seenAt));
});
