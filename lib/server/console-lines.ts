import { errorFacts, log } from "@/lib/runtime/log";
import { pageRequest } from "@/lib/runtime/page-request";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";

const LEVELS = { debug: "debug", log: "info", info: "info", warn: "warn", error: "error" } as const;

/**
 * Writes what packages print on the console as lines of the log. Next reports there that a page failed, with an error
 * whose message may quote the address and what was looked up. Of an error the log gets its facts, of other text
 * nothing but that it was printed.
 */
export function sendConsoleToLog(): void {
  for (const [method, level] of Object.entries(LEVELS)) {
    Object.defineProperty(console, method, {
      configurable: true,
      writable: true,
      value: (...printed: unknown[]) => {
        const error = printed.find((value) => value instanceof Error);
        if (error) reportFailure(error);
        // Text without an error says nothing about a page that failed.
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
    // The reader of the page sees it and may tell it.
    code: digestOf(error),
    error: errorFacts(error),
  });
}

/** Next's mark of an error, by which its page and its log line are matched. */
function digestOf(error: Error): string | undefined {
  return "digest" in error && typeof error.digest === "string" && /^[\w@-]{1,40}$/.test(error.digest)
    ? error.digest
    : undefined;
}
