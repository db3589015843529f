import { conditionalAnswer, withEtag } from "@/lib/api/conditional";
import { requireRecordIsOnAndQuota } from "@/lib/api/public-record";
import { route } from "@/lib/api/route";
import { readCheckpoint } from "@/lib/signals/ledger/read-ledger";

/** GET /api/public/ledger/checkpoint: the newest size and root of the ledger as a signed note. */
export const GET = route(
  async (request) => {
    await requireRecordIsOnAndQuota(request);
    const { note } = await readCheckpoint();
    return conditionalAnswer(request, withEtag(note), "public, no-cache", {
      "Content-Type": "text/plain; charset=utf-8",
    });
  },
  { anyOrigin: true },
);
