/**
 * The closing window: for CLOSING_WINDOW_HOURS after the end of access or its suspension a key may still report the
 * closing of positions that it reported while it was valid. Every other report is answered with what ended it.
 */
import { AppError } from "@/lib/wire/errors";
import type { ExecutionReport } from "@/lib/wire/execution-report";
import type { ClosingWindow, Reporter } from "./reporter";

const STATES = { key_expired: "has expired", key_suspended: "is suspended" } as const;

/**
 * Lets only the closing of a ticket pass that was first reported, at `createdAt`, before the window began. Throws
 * key_expired or key_suspended.
 */
export function requireClosing(window: ClosingWindow, report: ExecutionReport, createdAt: Date | null): void {
  const known = createdAt !== null && createdAt < window.since;
  if (!known || report.closedAt === null) {
    throw new AppError(window.code, {
      detail: `Access ${STATES[window.code]}: only the closing of positions reported before is still accepted.`,
    });
  }
}

/** The answer to a report with mistakes: what they are, or in the closing window only what ended access. */
export function refusalOf(reporter: Reporter, mistakes: AppError): AppError {
  return reporter.closeOnly ? new AppError(reporter.closeOnly.code) : mistakes;
}
