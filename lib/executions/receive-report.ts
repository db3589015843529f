import type { Database } from "@/db/client";
import { together } from "@/lib/runtime/together";
import { turns } from "@/lib/runtime/turns";
import {
  ANSWER_WITHIN_MS,
  DeadlineError,
  isDatabaseUnavailable,
  withDeadline,
} from "@/lib/runtime/unavailable";
import { AppError } from "@/lib/wire/errors";
import { type ExecutionReport, readExecutionReport } from "@/lib/wire/execution-report";
import { readJson } from "@/lib/wire/json";
import { refusalOf } from "./closing-window";
import { type RecordedExecution, recordExecution } from "./record-execution";
import { recordRejectedReport } from "./record-rejected-report";
import type { Reporter } from "./reporter";

/**
 * Reports of one subscription wait for each other here: they meet in the same totals of a day in any case. A line that
 * moves is waited in; when the database is away it ends for all at once.
 */
const subscriptions = () =>
  turns("reporting-subscriptions", {
    waitMs: ANSWER_WITHIN_MS,
    tooLate: () => new DeadlineError(),
    endsForAll: isDatabaseUnavailable,
  });

/** Equal reports of one key at once are recorded once: the first may have created the row, the others find it as sent. */
function recordTogether(
  reporter: Reporter,
  body: string,
  record: () => Promise<RecordedExecution>,
  withinMs: number,
): Promise<RecordedExecution> {
  const { subscriptionId, keyId, closeOnly } = reporter;
  const recording = together<RecordedExecution>("reports").run(
    `${subscriptionId}|${keyId}|${closeOnly}|${body}`,
    async (n) => {
      const first = await subscriptions().run(String(subscriptionId), record, withinMs);
      return [first, ...Array<RecordedExecution>(n - 1).fill({ ...first, action: "updated" })];
    },
  );
  return withDeadline(recording, withinMs);
}

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
    const recorded = await recordTogether(reporter, body, record, withinMs);
    return { ...recorded, ticket: report.ticket };
  } catch (error) {
    if (!(error instanceof AppError && error.code === "validation_failed")) throw error;
    await recordRejectedReport(reporter, error, body);
    throw refusalOf(reporter, error);
  }
}
