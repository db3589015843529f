import { parseQuery } from "@/lib/api/parse";
import { answerFromRecord, requireRecordIsOnAndQuota } from "@/lib/api/public-record";
import { route } from "@/lib/api/route";
import { readRecord } from "@/lib/signals/record/read-record";
import { PublicRecord, RecordQuery } from "@/lib/wire/contracts/record";

/** GET /api/public/record: the record of every slot compared with the coin and the class frequencies, computed from the ledger. */
export const GET = route(
  async (request) => {
    await requireRecordIsOnAndQuota(request);
    const query = parseQuery(request, RecordQuery);
    return answerFromRecord(request, PublicRecord, query, () => readRecord(query));
  },
  { anyOrigin: true },
);
