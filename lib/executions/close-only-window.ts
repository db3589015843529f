/**
 * The closing window: for CLOSE_ONLY_HOURS after access ended or was suspended, a key may still report closings of
 * positions that its subscription reported before the window. Every other report gets the error of the ended key.
 */
import { AppError } from "@/lib/wire/errors";
import type { ExecutionReport } from "@/lib/wire/execution-report";
import type { CloseOnlyWindow, Reporter } from "./reporter";

const STATES = { key_expired: "has expired", key_suspended: "is suspended" } as const;

/**
 * Throws key_expired or key_suspended unless the report closes a ticket first reported, at `createdAt`, before
 * the window began.
 */
export function requireClosingReport(
  window: CloseOnlyWindow,
  report: ExecutionReport,
  createdAt: Date | null,
): void {
  const known = createdAt !== null && createdAt < window.since;
  if (!known || report.closedAt === null) {
    throw new AppError(window.code, {
      detail: `Access ${STATES[window.code]}: only the closing of positions reported before is still accepted.`,
    });
  }
}

/** The error for an invalid report: key_expired or key_suspended in the closing window, otherwise `mistakes`. */
export function rejectionErrorOf(reporter: Reporter, mistakes: AppError): AppError {
  return reporter.closeOnly ? new AppError(reporter.closeOnly.code) : mistakes;
}
