import { CACHE_CONTROL_PUBLIC, conditionalAnswer, serialiseWithEtag, withEtag } from "@/lib/api/conditional";
import { parseQuery } from "@/lib/api/parse";
import { requireRecordIsOnAndQuota } from "@/lib/api/public-record";
import { route } from "@/lib/api/route";
import { readResolvedSignals } from "@/lib/signals/record/read-signals";
import { signalsToCsv, signalsToNdjson } from "@/lib/signals/record/serialise-signals";
import { PublicSignals, PublicSignalsQuery } from "@/lib/wire/contracts/record";

/** GET /api/public/signals: a page of signals whose horizon has ended, with outcomes and the indexes of ledger entries. */
export const GET = route(
  async (request) => {
    await requireRecordIsOnAndQuota(request);
    const query = parseQuery(request, PublicSignalsQuery);
    const page = await readResolvedSignals(query);
    const format = query.format ?? formatOf(request.headers.get("accept"));
    const headers = { Vary: "Accept", ...(page.next !== null && { "Next-Cursor": String(page.next) }) };
    if (format === "json")
      return conditionalAnswer(
        request,
        serialiseWithEtag(PublicSignals, page),
        CACHE_CONTROL_PUBLIC,
        headers,
      );
    const [body, type] = format === "csv" ? [signalsToCsv(page), CSV] : [signalsToNdjson(page), NDJSON];
    return conditionalAnswer(request, withEtag(body), CACHE_CONTROL_PUBLIC, {
      ...headers,
      "Content-Type": type,
    });
  },
  { anyOrigin: true },
);

const NDJSON = "application/x-ndjson; charset=utf-8";
const CSV = "text/csv; charset=utf-8; header=present";

/** The response format that the header `Accept` names; JSON if it names none of ours. */
function formatOf(accept: string | null): "json" | "ndjson" | "csv" {
  if (accept?.includes("ndjson")) return "ndjson";
  return accept?.includes("text/csv") ? "csv" : "json";
}
