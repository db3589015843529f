import { CACHE_CONTROL_PUBLIC, conditionalAnswer, serialiseWithEtag } from "@/lib/api/conditional";
import { parseQuery } from "@/lib/api/parse";
import { requireRecordIsOnAndQuota } from "@/lib/api/public-record";
import { route } from "@/lib/api/route";
import { readEntries } from "@/lib/signals/ledger/read-ledger";
import { LedgerEntries, LedgerEntriesQuery } from "@/lib/wire/contracts/record";

/** GET /api/public/ledger/entries: a range of entries of the ledger. */
export const GET = route(
  async (request) => {
    await requireRecordIsOnAndQuota(request);
    const found = await readEntries(parseQuery(request, LedgerEntriesQuery));
    return conditionalAnswer(request, serialiseWithEtag(LedgerEntries, found), CACHE_CONTROL_PUBLIC);
  },
  { anyOrigin: true },
);
