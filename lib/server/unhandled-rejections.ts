import { errorFacts, log } from "@/lib/runtime/log";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";

/** Logs rejections without a handler; the process continues. */
export function logUnhandledRejections(): void {
  process.on("unhandledRejection", reportRejection);
}

/**
 * Logs a rejection. A failed connection is only a warning: the database driver sends a statement on each new connection and
 * does not handle its failure, and behind a pooler that cannot reach the database it fails several times a second.
 */
function reportRejection(reason: unknown): void {
  if (isDatabaseUnavailable(reason))
    log("warn", "a connection to the database failed", { error: errorFacts(reason) });
  else log("error", "an unhandled rejection", { error: errorFacts(reason) });
}
