import { CACHE_CONTROL_PUBLIC, conditionalAnswer, serialiseWithEtag } from "@/lib/api/conditional";
import { parseQuery } from "@/lib/api/parse";
import { requireRecordIsOnAndQuota } from "@/lib/api/public-record";
import { route } from "@/lib/api/route";
import { readProof } from "@/lib/signals/ledger/read-ledger";
import { LedgerProof, LedgerProofQuery } from "@/lib/wire/contracts/record";

/** GET /api/public/ledger/proof: the proof that the ledger of a given size contains an entry. */
export const GET = route(
  async (request) => {
    await requireRecordIsOnAndQuota(request);
    const found = await readProof(parseQuery(request, LedgerProofQuery));
    return conditionalAnswer(request, serialiseWithEtag(LedgerProof, found), CACHE_CONTROL_PUBLIC);
  },
  { anyOrigin: true },
);
