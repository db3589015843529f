import { db } from "@/db/client";
import { insertRejectedReport } from "@/db/queries/execution-reports";
import { errorFacts, log } from "@/lib/runtime/log";
import type { AppError } from "@/lib/wire/errors";
import type { Reporter } from "./reporter";

const EXCERPT_CHARACTERS = 1000;

/**
 * Keeps a refused report in the subscriber's diagnostics. A failure here does not change the answer, which stays the
 * 422 that names the field.
 */
export async function recordRejectedReport(reporter: Reporter, error: AppError, body: string): Promise<void> {
  try {
    await insertRejectedReport(db(), {
      subscriptionId: reporter.subscriptionId,
      keyId: reporter.keyId,
      requestId: reporter.requestId,
      code: error.code,
      errors: error.errors ?? [],
      // PostgreSQL has no NUL in text, and lone halves of a surrogate pair are no text either.
      bodyExcerpt: body.slice(0, EXCERPT_CHARACTERS).replaceAll("\0", "").toWellFormed(),
    });
  } catch (failure) {
    log("warn", "a refused report could not be kept", {
      requestId: reporter.requestId,
      error: errorFacts(failure),
    });
  }
}
