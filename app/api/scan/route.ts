import { conditionalAnswer, PRIVATE_REVALIDATE, tagged } from "@/lib/api/conditional";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { getScanBody, getScanWithValidity } from "@/lib/signals/scan";
import { callRhythm } from "@/lib/subscribers/call-rhythm";
import { Scan, ScanQuery } from "@/lib/wire/contracts/signals";
import { parseQuery } from "@/lib/wire/params";

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
