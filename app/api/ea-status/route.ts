import { respond } from "@/lib/api/answer";
import { parseQuery } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { diagnoseEa, listFindings } from "@/lib/subscribers/diagnose-ea";
import { EaStatus, EaStatusQuery } from "@/lib/wire/contracts/ea-status";

/** GET /api/ea-status: the state of the subscriber's client; with `explain=true` also findings with their remedies. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  const { explain } = parseQuery(request, EaStatusQuery);

  const diagnostics = await diagnoseEa(key, key.seenAt);
  if (!explain) return respond(EaStatus, diagnostics);
  return respond(EaStatus, { ...diagnostics, findings: await listFindings(key, key.seenAt) });
});
