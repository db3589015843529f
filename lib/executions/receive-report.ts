import type { Database } from "@/db/client";
import { KeyedMutex } from "@/lib/runtime/keyed-mutex";
import { processWide } from "@/lib/runtime/process-wide";
import { ANSWER_WITHIN_MS, DeadlineError, withDeadline } from "@/lib/runtime/unavailable";
import { AppError } from "@/lib/wire/errors";
import { type ExecutionReport, readClosingOfRefused, readExecutionReport } from "@/lib/wire/execution-report";
import { readJson } from "@/lib/wire/json";
import { rejectionErrorOf } from "./close-only-window";
import { type RecordedExecution, recordExecution } from "./record-execution";
import { recordRejectedReport } from "./record-rejected-report";
import type { Reporter } from "./reporter";

/** Reports of one subscription queue here, because they update the same daily totals. */
const subscriptions = () =>
  processWide("reporting-subscriptions", () => new KeyedMutex(() => new DeadlineError()));

/**
 * Reads and records one report. An invalid report is stored for the subscriber's diagnostics. Throws validation_failed,
 * key_expired, key_suspended, and DeadlineError after `withinMs`; work already begun continues, so that a repeat finds
 * it done.
 */
export async function receiveReport(
  database: Database,
  reporter: Reporter,
  body: string,
  knownSymbols: ReadonlySet<string>,
  withinMs = ANSWER_WITHIN_MS,
): Promise<RecordedExecution & Pick<ExecutionReport, "ticket">> {
  const record = async (report: ExecutionReport) => {
    const recording = subscriptions().run(String(reporter.subscriptionId), withinMs, () =>
      recordExecution(database, reporter, report, knownSymbols),
    );
    return { ...(await withDeadline(recording, withinMs)), ticket: report.ticket };
  };
  try {
    const sent = readJson(body, { exponentsAsText: true });
    try {
      return await record(readExecutionReport(sent, reporter.seenAt));
    } catch (error) {
      const closing = isInvalid(error) ? readClosingOfRefused(sent, error, reporter.seenAt) : null;
      if (closing === null) throw error;
      return await record(closing).catch((second) => {
        // The ticket is unknown, so this is its first report, which must be complete: name all invalid fields.
        throw isInvalid(second) ? error : second;
      });
    }
  } catch (error) {
    if (!isInvalid(error)) throw error;
    await recordRejectedReport(reporter, error, body);
    throw rejectionErrorOf(reporter, error);
  }
}

const isInvalid = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === "validation_failed";
