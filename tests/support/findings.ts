import { appendFileSync } from "node:fs";
import type { Reporter, SerializedError } from "vitest/node";

/** What spoils a run without being any test's failure, kept in SUITE_FINDINGS until the summary is printed. */
export function noteFinding(what: string): void {
  const file = process.env.SUITE_FINDINGS;
  if (file) appendFileSync(file, `failed: ${what}\n`);
}

/** Errors that no test caught: Vitest fails the run for them and names them only far up in its output. */
export default class FindingsReporter implements Reporter {
  onTestRunEnd(_modules: unknown, errors: readonly SerializedError[]): void {
    for (const error of errors)
      noteFinding(`outside every test: ${error.stack ?? error.message}`.slice(0, 2000));
  }
}
