import { parseQuery } from "@/lib/api/parse";
import { answerFromRecord, requireRecordIsOnAndQuota } from "@/lib/api/public-record";
import { route } from "@/lib/api/route";
import { readRecordCalibration } from "@/lib/signals/record/read-calibration";
import { PublicCalibration, RecordQuery } from "@/lib/wire/contracts/record";

/** GET /api/public/calibration: how well the probabilities match the outcomes. */
export const GET = route(
  async (request) => {
    await requireRecordIsOnAndQuota(request);
    const query = parseQuery(request, RecordQuery);
    return answerFromRecord(request, PublicCalibration, query, () => readRecordCalibration(query));
  },
  { anyOrigin: true },
);
