import { db } from "@/db/client";
import { scopeIncludes } from "@/lib/access/plans";
import { respond } from "@/lib/api/answer";
import { parseBody } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { recordNotTraded } from "@/lib/executions/record-not-traded";
import { latestVisibleClose } from "@/lib/signals/visible-closes";
import { readTerminal } from "@/lib/subscribers/terminals";
import { NotTradedRecorded, NotTradedReport } from "@/lib/wire/contracts/executions";

/**
 * POST /api/executions/not-traded: the reason why a trading client did not trade a signal. Idempotent by signal and
 * terminal.
 */
export const POST = route(async (request) => {
  const key = await requireApiKey(request, { tryOut: true });
  await requireQuota(request, key, "execution");
  const report = await parseBody(request, NotTradedReport);
  const terminal = readTerminal(request.headers)?.terminal ?? null;

  const { subscriptionId, scope, seenAt } = key;
  const sees: Parameters<typeof recordNotTraded>[1]["sees"] = ({ symbol, timeframe, closesAt }) =>
    scopeIncludes(scope, symbol, timeframe) &&
    closesAt <= (latestVisibleClose(scope, timeframe, seenAt) ?? closesAt);

  const action = await recordNotTraded(db(), { subscriptionId, terminal, sees }, report);

  return respond(NotTradedRecorded, { ok: true, action, pred_id: report.pred_id }, { status: 201 });
});
