import { db } from "@/db/client";
import { respond } from "@/lib/api/answer";
import { readText } from "@/lib/api/request-body";
import { requestFactsOf, timeLeftMs } from "@/lib/api/request-facts";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { receiveReport } from "@/lib/executions/receive-report";
import { refuseUnreadReport } from "@/lib/executions/record-rejected-report";
import { knownSymbols } from "@/lib/signals/known-symbols";
import { clientCallLog } from "@/lib/subscribers/client-call-log";
import { readTerminal } from "@/lib/subscribers/terminals";
import { ExecutionRecorded } from "@/lib/wire/contracts/executions";

/** POST /api/executions: a trading client reports that a position was opened or closed. Idempotent by ticket. */
export const POST = route(async (request) => {
  const key = await requireApiKey(request, { allowClosing: true, tryOut: true });
  await requireQuota(request, key, "execution");
  const terminal = readTerminal(request.headers)?.terminal ?? null;
  const reporter = { ...key, requestId: requestFactsOf(request).requestId, terminal };
  const body = await readText(request).catch((error) => refuseUnreadReport(reporter, error));

  const { action, executionId, ticket, contradiction } = await receiveReport(
    db(),
    reporter,
    body,
    await knownSymbols(),
    timeLeftMs(request),
  );
  if (contradiction) clientCallLog().noteContradictedTicket(key.subscriptionId, contradiction);

  return respond(ExecutionRecorded, { ok: true, action, exec_id: executionId, ticket }, { status: 201 });
});
