import { CACHE_CONTROL_PUBLIC, conditionalAnswer, serialiseWithEtag } from "@/lib/api/conditional";
import { parseQuery } from "@/lib/api/parse";
import { requireRecordIsOnAndQuota } from "@/lib/api/public-record";
import { route } from "@/lib/api/route";
import { readConsistency } from "@/lib/signals/ledger/read-ledger";
import { LedgerConsistency, LedgerConsistencyQuery } from "@/lib/wire/contracts/record";

/** GET /api/public/ledger/consistency: the proof that the ledger of one size extends the ledger of a smaller size. */
export const GET = route(
  async (request) => {
    await requireRecordIsOnAndQuota(request);
    const found = await readConsistency(parseQuery(request, LedgerConsistencyQuery));
    return conditionalAnswer(request, serialiseWithEtag(LedgerConsistency, found), CACHE_CONTROL_PUBLIC);
  },
  { anyOrigin: true },
);
