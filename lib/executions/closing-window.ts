/**
 * The closing window: for CLOSING_WINDOW_HOURS after the end of access a key may still report the closing of positions
 * that it reported while it was valid. Every other report is answered with key_expired.
 */
import { AppError } from "@/lib/wire/errors";
import type { ExecutionReport } from "@/lib/wire/execution-report";
import type { Reporter } from "./reporter";

/** Lets only the closing of a ticket pass that was first reported, at `createdAt`, before the end. Throws key_expired. */
export function requireClosing(reporter: Reporter, report: ExecutionReport, createdAt: Date | null): void {
  const known = createdAt !== null && reporter.expiresAt !== null && createdAt < reporter.expiresAt;
  if (!known || report.closedAt === null) {
    throw new AppError("key_expired", {
      detail: "Access has expired: only the closing of positions reported before is still accepted.",
    });
  }
}

/** The answer to a report with mistakes: what they are, or in the closing window only that access has ended. */
export function refusalOf(reporter: Reporter, mistakes: AppError): AppError {
  return reporter.closeOnly ? new AppError("key_expired") : mistakes;
}
