import type { Env } from "@/lib/runtime/env";
import { flushLog } from "@/lib/runtime/log";
import { SECOND_MS } from "@/lib/time";
import { openDatabase } from "./database";
import { endProcess } from "./end-process";
import { installStopSignal } from "./stop-signal";
import { logUnhandledRejections } from "./unhandled-rejections";

/**
 * Runs a process: opens the database, runs `live` until it ends, and exits with 0, or with 1 and the reason. An
 * embedded database is always stopped, even when a stop signal comes before `live` runs.
 *
 * `live` gets a promise that resolves when the schema is current, and the stop signal.
 */
export async function runServiceProcess(
  config: Env,
  live: (ready: Promise<void>, stop: AbortSignal) => Promise<void>,
): Promise<never> {
  logUnhandledRejections();
  const stop = installStopSignal(config.drainDelaySeconds * SECOND_MS);
  try {
    const database = await openDatabase(config);
    // Prevents an unhandled rejection. `live` reports the failure when it awaits this promise.
    database.ready.catch(() => undefined);
    try {
      if (!stop.aborted) await live(database.ready, stop);
    } finally {
      await database.close();
    }
    await flushLog();
    endProcess(0);
  } catch (error) {
    process.stderr.write(
      `The service could not start or continue: ${error instanceof Error ? error.message : "unknown reason"}\n`,
    );
    endProcess(1);
  }
}
