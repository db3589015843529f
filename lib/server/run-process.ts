import type { Env } from "@/lib/runtime/env";
import { errorFacts, flushLog, log } from "@/lib/runtime/log";
import { SECOND_MS } from "@/lib/time";
import { openDatabase } from "./database";
import { stopSignal } from "./stop-signal";

/**
 * Opens the database, runs `live` until it ends, and ends the process: with 0, or with 1 and the reason. A database
 * that was started here is stopped in every case, also when a stop signal comes before `live` runs.
 *
 * `live` gets a promise that resolves when the schema is current, and the signal that tells it to end.
 */
export async function runProcess(
  config: Env,
  live: (ready: Promise<void>, stop: AbortSignal) => Promise<void>,
): Promise<never> {
  process.on("unhandledRejection", (reason) =>
    log("error", "an unhandled rejection", { error: errorFacts(reason) }),
  );
  const stop = stopSignal(config.drainDelaySeconds * SECOND_MS);
  try {
    const database = await openDatabase(config);
    // A failure is reported where `live` awaits it.
    database.ready.catch(() => undefined);
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
