import { errorFacts, log } from "@/lib/runtime/log";
import { pageRequestStorage } from "@/lib/runtime/page-request";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";

/**
 * Logs that the present page or form failed, without the error's message, which may quote the address and data. If the
 * database does not answer, the page is marked as unavailable.
 */
export function reportPageFailure(error: unknown): void {
  const page = pageRequestStorage.getStore();
  const isUnavailable = isDatabaseUnavailable(error);
  if (page && isUnavailable) page.isUnavailable = true;
  log(isUnavailable ? "warn" : "error", "a page failed", {
    route: page?.template,
    // The visitor sees this code on the error page and can report it.
    code: digestOf(error),
    error: errorFacts(error),
  });
}

/** Next's error digest, which is on the error page and in the log line. */
function digestOf(error: unknown): string | undefined {
  return error instanceof Error &&
    "digest" in error &&
    typeof error.digest === "string" &&
    /^[\w@-]{1,40}$/.test(error.digest)
    ? error.digest
    : undefined;
}
