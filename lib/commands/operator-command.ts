import { closePools, directDatabaseUrl } from "@/db/client";
import { startEmbeddedDatabase } from "@/db/embedded/cluster";
import type { Env } from "@/lib/runtime/env";
import { flushLog } from "@/lib/runtime/log";
import { readConfigurationOrExit } from "@/lib/server/configuration";
import { loadEnvFile, printFailure } from "./command-line";

/**
 * Runs an operator's command with the URL of the service's database and the service's configuration, `.env` included.
 * Does not migrate the database. Then ends the process; after a failure with its message and exit code 1.
 */
export async function runOperatorCommand(run: (url: string, config: Env) => Promise<void>): Promise<never> {
  loadEnvFile();
  process.env.LOG_LEVEL ??= "warn";
  const config = readConfigurationOrExit();
  try {
    const embedded = config.databaseUrl === null ? await startEmbeddedDatabase(config.dataDir) : null;
    try {
      await run(directDatabaseUrl(), config);
    } finally {
      await closePools();
      await embedded?.leave();
    }
  } catch (error) {
    printFailure(error);
  }
  await flushLog();
  process.exit();
}
