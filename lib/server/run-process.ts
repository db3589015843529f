import type { Env } from "@/lib/runtime/env";
import { errorFacts, flushLog, log } from "@/lib/runtime/log";
import { openDatabase } from "./database";
import { stopSignal } from "./stop-signal";

/**
 * Opens the database, lets the process live over it until `live` ends, and ends the process: with 0, or with 1 and the
 * reason. The database that was started is stopped again however it ends, also when it is told to before it lives.
 *
 * `live` is given when the schema is current, and the signal by which it is told to end.
 */
export async function runProcess(
  config: Env,
  live: (ready: Promise<void>, stop: AbortSignal) => Promise<void>,
): Promise<never> {
  process.on("unhandledRejection", (reason) =>
    log("error", "an unhandled rejection", { error: errorFacts(reason) }),
  );
  const stop = stopSignal();
  try {
    const database = await openDatabase(config);
    try {
      if (!stop.aborted) await live(database.ready, stop);
    } finally {
      await database.close();
    }
    await flushLog();
    process.exit(0);
  } catch (error) {
    process.stderr.write(
      `The service could not start or go on: ${error instanceof Error ? error.message : "unknown reason"}\n`,
    );
    process.exit(1);
  }
}
