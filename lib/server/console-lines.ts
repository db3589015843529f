import { errorFacts, log } from "@/lib/runtime/log";
import { pageRequest } from "@/lib/runtime/page-request";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";

const LEVELS = { debug: "debug", log: "info", info: "info", warn: "warn", error: "error" } as const;

/**
 * Redirects the console to the log. Next prints there that a page failed, with a message that may quote the address
 * and data. Of an error only its facts are logged, of other text only that it was printed.
 */
export function sendConsoleToLog(): void {
  for (const [method, level] of Object.entries(LEVELS)) {
    Object.defineProperty(console, method, {
      configurable: true,
      writable: true,
      value: (...printed: unknown[]) => {
        const error = printed.find((value) => value instanceof Error);
        if (error) reportFailure(error);
        // Text without an error says nothing about a failed page.
        else log(level === "error" || level === "warn" ? "warn" : "debug", "a package printed a line");
      },
    });
  }
}

function reportFailure(error: Error): void {
  const page = pageRequest.getStore();
  const isUnavailable = isDatabaseUnavailable(error);
  if (page && isUnavailable) page.isUnavailable = true;
  log(isUnavailable ? "warn" : "error", page ? "a page failed" : "a package reported an error", {
    route: page?.template,
    // The visitor sees this code on the error page and can report it.
    code: digestOf(error),
    error: errorFacts(error),
  });
}

/** Next's error digest, which is on the error page and in the log line. */
function digestOf(error: Error): string | undefined {
  return "digest" in error && typeof error.digest === "string" && /^[\w@-]{1,40}$/.test(error.digest)
    ? error.digest
    : undefined;
}
