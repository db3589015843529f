import { closePools } from "@/db/client";
import { flushLog } from "@/lib/runtime/log";
import { readConfigurationOrExit } from "@/lib/server/configuration";
import { openDatabase } from "@/lib/server/database";
import { installStopSignal, whenStopped } from "@/lib/server/stop-signal";
import { loadEnvFile, printFailure } from "./command-line";

/**
 * Runs a command with the service's database: the running one, or an embedded one started for the duration of the
 * command. Then ends the process; after a failure or a stop signal with a message and exit code 1.
 */
export async function withDatabase(run: () => Promise<void>): Promise<void> {
  loadEnvFile();
  process.env.LOG_LEVEL ??= "warn";
  await runOver(run).catch(printFailure);
  await flushLog();
  process.exit();
}

async function runOver(run: () => Promise<void>): Promise<void> {
  const stop = installStopSignal();
  const database = await openDatabase(readConfigurationOrExit());
  try {
    await Promise.race([database.ready.then(run), whenStopped(stop)]);
    if (stop.aborted) throw new Error("Interrupted.");
  } finally {
    await closePools();
    await database.close();
  }
}
