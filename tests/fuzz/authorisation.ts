import { startEmbeddedDatabase } from "@/db/embedded/cluster";
import { migrateDatabase } from "@/db/migrate";
import { runMatrix, unmatchedRoutes } from "@/tests/authorisation/matrix";
import type { RunOptions } from "@/tests/support/run-named";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

/**
 * Requests every route as every kind of caller, in every spelling of its address. Throws if an answer contradicts the
 * table of permissions. Returns the lines to print at the end.
 */
export async function fuzzAuthorisation({ seed }: RunOptions): Promise<string[]> {
  const { missing } = unmatchedRoutes();
  if (missing.length > 0) throw new Error(`not in the table: ${missing.join(", ")}`);
  const directory = temporaryDirectory("signal-matrix-");
  process.env.TEST_DIRECTORY = directory;
  const embedded = await startEmbeddedDatabase(directory);
  try {
    await migrateDatabase(embedded.url);
    const report = await runMatrix(embedded.url, { seed, complete: true });
    if (report.failures.length > 0)
      throw new Error(
        `${report.failures.length} answers that contradict the table:\n${report.failures.join("\n")}`,
      );
    return [
      `${report.routes} routes x ${report.callers} callers x ${report.forms} forms of the address: ${report.requests} requests, every answer as the table says`,
    ];
  } finally {
    await embedded.stop();
  }
}
