import { conditionalAnswer, PRIVATE_REVALIDATE, tagged } from "@/lib/api/conditional";
import { keptBody } from "@/lib/api/kept-body";
import { parseQuery } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { getScan, getScanWithValidity } from "@/lib/signals/scan";
import { callRhythm } from "@/lib/subscribers/call-rhythm";
import { Scan, ScanQuery } from "@/lib/wire/contracts/signals";

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
  const kept = {
    name: "scan",
    key: `${key.planTier}|${key.scope.id}|${query.min_confidence}`,
    version: wanted.version,
    now: key.seenAt,
  };
  const content = query.expand
    ? tagged(Scan, await getScanWithValidity(wanted, key.seenAt))
    : await keptBody(Scan, kept, () => getScan(wanted));
  return conditionalAnswer(request, content, PRIVATE_REVALIDATE);
});
