import { respond } from "@/lib/api/answer";
import { parseQuery } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { diagnoseEa, listDiagnostics, listTerminalStates } from "@/lib/subscribers/diagnose-ea";
import { EaStatus, EaStatusQuery } from "@/lib/wire/contracts/ea-status";

/** GET /api/ea-status: the state of the subscriber's client; with `explain=true` also diagnostics with their remedies. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request, { tryOut: true });
  await requireQuota(request, key, "read");
  const { explain, expand } = parseQuery(request, EaStatusQuery);

  const [diagnostics, findings, terminals] = await Promise.all([
    diagnoseEa(key, key.seenAt),
    explain ? listDiagnostics(key, key.seenAt) : undefined,
    expand === "terminals" ? listTerminalStates(key.subscriptionId, key.seenAt) : undefined,
  ]);
  return respond(EaStatus, {
    ...diagnostics,
    ...(findings && { findings }),
    ...(terminals && { terminals }),
  });
});
