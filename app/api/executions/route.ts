import { db } from "@/db/client";
import { respond } from "@/lib/api/answer";
import { readText } from "@/lib/api/body";
import { factsOf } from "@/lib/api/facts";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { recordExecution } from "@/lib/executions/record-execution";
import { recordRejectedReport } from "@/lib/executions/record-rejected-report";
import { knownSymbols } from "@/lib/signals/known-symbols";
import { ExecutionRecorded } from "@/lib/wire/contracts/executions";
import { AppError } from "@/lib/wire/errors";
import { executionReportSchema } from "@/lib/wire/execution-report";
import { readJson } from "@/lib/wire/json";
import { parseValue } from "@/lib/wire/params";

/** POST /api/executions: a trading client reports that a position was opened or closed. Idempotent by ticket. */
export const POST = route(async (request) => {
  const key = await requireApiKey(request, { allowClosing: true });
  await requireQuota(request, key, "execution");
  const reporter = { ...key, requestId: factsOf(request).requestId };
  const body = await readText(request);
  try {
    const report = parseValue("body", executionReportSchema(key.seenAt), readJson(body));
    const { action, executionId } = await recordExecution(db(), reporter, report, await knownSymbols());
    return respond(
      ExecutionRecorded,
      { ok: true, action, exec_id: executionId, ticket: report.ticket },
      { status: 201 },
    );
  } catch (error) {
    if (!(error instanceof AppError && error.code === "validation_failed")) throw error;
    await recordRejectedReport(reporter, error, body);
    // decision 13: with an expired key only a valid closing is accepted. Anything else gets 401, also a report that
    // cannot be read.
    throw key.closeOnly ? new AppError("key_expired") : error;
  }
});
