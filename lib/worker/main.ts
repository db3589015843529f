/** The background work as a process of its own, so that web replicas can run without it (WORKER=none). */
import { workerDb } from "@/db/client";
import { errorFacts, flushLog, log } from "../log";
import { readConfiguration } from "../server/configuration";
import { openDatabase } from "../server/database";
import { startWorker } from "./index";

const config = readConfiguration();
const database = await openDatabase(config);
await database.ready;
const stopWorker = startWorker();
log("info", "the worker waits for its turn");

let stopping = false;
async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  setTimeout(() => process.exit(1), 24_000).unref();
  await stopWorker();
  await workerDb().$client.end({ timeout: 2 });
  await database.close();
  await flushLog();
  process.exit(0);
}
for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => void stop());
process.on("unhandledRejection", (reason) =>
  log("error", "an unhandled rejection", { error: errorFacts(reason) }),
);
