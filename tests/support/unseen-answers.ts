import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OPERATIONS } from "@/app/operations.generated";
import { errorsOf } from "@/lib/api/openapi/operation";
import { ERRORS } from "@/lib/wire/errors";
import { SEEN_ANSWERS_FILE } from "./openapi-check";

/**
 * Statuses of errors that need a fault: a truncated body, a timeout, a defect, an unavailable database. Tests cause
 * them on some paths only.
 */
const FAULTS = new Set([400, 408, 500, 503]);

/** Documented answers that no test of this run has seen, as `operation status`, except those that need a fault. */
export function unseenAnswers(directory: string): string[] {
  const file = join(directory, SEEN_ANSWERS_FILE);
  const seen = new Set(existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);
  return OPERATIONS.flatMap((operation) =>
    [
      operation.ok.status,
      ...(operation.conditional ? [304] : []),
      ...(operation.degraded ? [503] : []),
      ...errorsOf(operation)
        .map((code) => ERRORS[code].status)
        .filter((status) => !FAULTS.has(status)),
    ]
      .map((status) => `${operation.id} ${status}`)
      .filter((line) => !seen.has(line)),
  );
}
