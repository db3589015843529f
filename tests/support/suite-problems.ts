import { appendFileSync } from "node:fs";
import type { Reporter, SerializedError } from "vitest/node";

/** Appends a problem that fails no single test to the file SUITE_PROBLEMS, if set, which the summary of the run prints. */
export function noteProblem(what: string): void {
  const file = process.env.SUITE_PROBLEMS;
  if (file) appendFileSync(file, `failed: ${what}\n`);
}

/** Notes errors outside all tests for the summary. Vitest fails the run for them but prints them far up in its output. */
export default class ProblemsReporter implements Reporter {
  onTestRunEnd(_modules: unknown, errors: readonly SerializedError[]): void {
    for (const error of errors)
      noteProblem(`outside every test: ${error.stack ?? error.message}`.slice(0, 2000));
  }
}
