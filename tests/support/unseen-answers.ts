import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OPERATIONS } from "@/app/operations.generated";
import { errorsOf } from "@/lib/api/openapi/operation";
import { ERRORS } from "@/lib/wire/errors";
import { EXCHANGES_FILE } from "./document-check";

/**
 * Answers that need a fault: a defect, an unavailable database, a truncated body. Tests of faults cause them once for
 * all paths, not for each.
 */
const FAULTS = new Set([400, 408, 500, 503]);

/** Documented answers that no exchange of this run showed, as `operation status`. */
export function unseenAnswers(directory: string): string[] {
  const file = join(directory, EXCHANGES_FILE);
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
