import type { Database } from "@/db/client";
import { AppError } from "@/lib/wire/errors";
import { type ExecutionReport, executionReportSchema } from "@/lib/wire/execution-report";
import { readJson } from "@/lib/wire/json";
import { parseValue } from "@/lib/wire/params";
import { refusalOf } from "./closing-window";
import { type RecordedExecution, recordExecution } from "./record-execution";
import { recordRejectedReport } from "./record-rejected-report";
import type { Reporter } from "./reporter";

/**
 * Reads one report as it was sent and records it. A report with mistakes is kept for the subscriber's diagnostics.
 * Throws bad_request, validation_failed, key_expired, key_suspended.
 */
export async function receiveReport(
  database: Database,
  reporter: Reporter,
  body: string,
  knownSymbols: ReadonlySet<string>,
): Promise<RecordedExecution & Pick<ExecutionReport, "ticket">> {
  try {
    const report = parseValue("body", executionReportSchema(reporter.seenAt), readJson(body));
    const recorded = await recordExecution(database, reporter, report, knownSymbols);
    return { ...recorded, ticket: report.ticket };
  } catch (error) {
    if (!(error instanceof AppError && error.code === "validation_failed")) throw error;
    await recordRejectedReport(reporter, error, body);
    throw refusalOf(reporter, error);
  }
}
