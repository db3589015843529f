import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OPERATIONS } from "@/app/operations.generated";
import { errorsOf } from "@/lib/api/openapi/operation";
import { ERRORS } from "@/lib/wire/errors";
import { EXCHANGES } from "./document-check";

/**
 * Answers that only a fault brings about: a defect, a database that is away, a body that stops half-way. Tests of the
 * edges and of faults provoke them once for all paths of the document, not once for each.
 */
const FAULTS = new Set([400, 408, 500, 503]);

/** The answers that the document promises and no exchange of this run showed, as `operation status`. */
export function unseenAnswers(directory: string): string[] {
  const file = join(directory, EXCHANGES);
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
