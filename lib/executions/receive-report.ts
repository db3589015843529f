import type { Database } from "@/db/client";
import { KeyedMutex } from "@/lib/runtime/keyed-mutex";
import { processWide } from "@/lib/runtime/process-wide";
import { ANSWER_WITHIN_MS, DeadlineError, withDeadline } from "@/lib/runtime/unavailable";
import { AppError } from "@/lib/wire/errors";
import { type ExecutionReport, readExecutionReport } from "@/lib/wire/execution-report";
import { readJson } from "@/lib/wire/json";
import { refusalOf } from "./closing-window";
import { type RecordedExecution, recordExecution } from "./record-execution";
import { recordRejectedReport } from "./record-rejected-report";
import type { Reporter } from "./reporter";

/** Reports of one subscription wait for each other here: they meet in the same totals of a day in any case. */
const subscriptions = () =>
  processWide("reporting-subscriptions", () => new KeyedMutex(() => new DeadlineError()));

/**
 * Reads one report as it was sent and records it. A report with mistakes is kept for the subscriber's diagnostics.
 * Throws bad_request, validation_failed, key_expired, key_suspended, and DeadlineError after `withinMs`; what has begun by
 * then goes on to its own end, so that a repeat finds it done.
 */
export async function receiveReport(
  database: Database,
  reporter: Reporter,
  body: string,
  knownSymbols: ReadonlySet<string>,
  withinMs = ANSWER_WITHIN_MS,
): Promise<RecordedExecution & Pick<ExecutionReport, "ticket">> {
  try {
    const report = readExecutionReport(readJson(body, { exponentsAsText: true }), reporter.seenAt);
    const record = () => recordExecution(database, reporter, report, knownSymbols);
    const recording = subscriptions().run(String(reporter.subscriptionId), withinMs, record);
    const recorded = await withDeadline(recording, withinMs);
    return { ...recorded, ticket: report.ticket };
  } catch (error) {
    if (!(error instanceof AppError && error.code === "validation_failed")) throw error;
    await recordRejectedReport(reporter, error, body);
    throw refusalOf(reporter, error);
  }
}
