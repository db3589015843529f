import { conditionalAnswer, PRIVATE_REVALIDATE, tagged } from "@/lib/api/conditional";
import { Scan, ScanQuery } from "@/lib/api/contracts/signals";
import { parseQuery } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { callRhythm } from "@/lib/ea-status/call-rhythm";
import { getScanBody, getScanWithValidity } from "@/lib/signals/scan";

/** GET /api/scan: the newest signal of each slot that the key may see. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  const query = parseQuery(request, ScanQuery);
  callRhythm().notePoll(key.subscriptionId, key.seenAt, request.headers.has("if-none-match"));

  const wanted = {
    version: key.versions.signals,
    planTier: key.planTier,
    scope: key.scope,
    minConfidence: query.min_confidence,
  };
  const content = query.expand
    ? tagged(Scan, await getScanWithValidity(wanted, key.seenAt))
    : await getScanBody(wanted);
  return conditionalAnswer(request, content, PRIVATE_REVALIDATE);
});
