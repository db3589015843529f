import { db } from "@/db/client";
import { insertRejectedReport } from "@/db/queries/execution-reports";
import { errorFacts, log } from "@/lib/runtime/log";
import type { AppError } from "@/lib/wire/errors";
import type { Reporter } from "./reporter";

const EXCERPT_CHARACTERS = 1000;

/**
 * Stores a rejected report for the subscriber's diagnostics. A failure to store it is not thrown, so that the client
 * still gets the error of its report.
 */
export async function recordRejectedReport(reporter: Reporter, error: AppError, body: string): Promise<void> {
  try {
    await insertRejectedReport(db(), {
      subscriptionId: reporter.subscriptionId,
      keyId: reporter.keyId,
      requestId: reporter.requestId,
      code: error.code,
      errors: error.errors ?? [],
      // PostgreSQL text cannot hold a NUL or half of a surrogate pair.
      bodyExcerpt: body.slice(0, EXCERPT_CHARACTERS).replaceAll("\0", "").toWellFormed(),
    });
  } catch (failure) {
    log("warn", "a rejected report could not be stored", {
      requestId: reporter.requestId,
      error: errorFacts(failure),
    });
  }
}
