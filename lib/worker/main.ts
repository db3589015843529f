/** The background work as a process of its own, so that web replicas can run without it (WORKER=none). */
import { workerDb } from "@/db/client";
import { log } from "../log";
import { readConfiguration } from "../server/configuration";
import { runProcess } from "../server/run-process";
import { stopped } from "../server/stop-signal";
import { startWorker } from "./index";

await runProcess(readConfiguration(), async (ready, stop) => {
  await Promise.race([ready, stopped(stop)]);
  if (stop.aborted) return;
  const stopWorker = startWorker();
  log("info", "the worker waits for its turn");
  await stopped(stop);
  await stopWorker();
  await workerDb().$client.end({ timeout: 2 });
});
