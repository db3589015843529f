import { jsonAnswer } from "@/lib/api/answer";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { getCalibrationBody } from "@/lib/signals/quality/calibration";
import { CalibrationQuery } from "@/lib/wire/contracts/quality";
import { parseQuery } from "@/lib/wire/params";

/** GET /api/calibration: how well each model's probabilities fit what happened. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  const { tf_code: timeframe, ...query } = parseQuery(request, CalibrationQuery);
  return jsonAnswer(await getCalibrationBody({ ...key, ...query, timeframe }, key.seenAt));
});
