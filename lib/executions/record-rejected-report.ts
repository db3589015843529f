import { db } from "@/db/client";
import { insertRejectedReport } from "@/db/queries/execution-reports";
import { errorFacts, log } from "@/lib/runtime/log";
import { AppError, type ErrorCode } from "@/lib/wire/errors";
import type { Reporter } from "./reporter";

const EXCERPT_CHARACTERS = 1000;

/** Why a body could not be read, as a predicate of the report. */
const UNREAD: { [Code in ErrorCode]?: string } = {
  bad_request: "arrived incomplete: its length or its chunks are wrong, or the connection broke off",
  body_timeout: "did not arrive within ten seconds",
  body_too_large: "is larger than this address accepts",
  unsupported_encoding: "is compressed",
};

/** Stores a report whose body could not be read, and throws the error of reading it. */
export async function refuseUnreadReport(reporter: Reporter, error: unknown): Promise<never> {
  const msg = error instanceof AppError ? UNREAD[error.code] : undefined;
  if (error instanceof AppError && msg !== undefined)
    await recordRejectedReport(
      reporter,
      new AppError(error.code, { errors: [{ loc: ["body"], msg, type: error.code }] }),
      "",
    );
  throw error;
}

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
