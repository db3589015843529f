/** The production process: interface, pages and background work over one database. */
import { createServer, type Server } from "node:http";
import { fileURLToPath } from "node:url";
import next from "next";
import { db, workerDb } from "@/db/client";
import { sharedLimiter } from "@/lib/access/limits/shared/take-quota";
import { log } from "@/lib/runtime/log";
import { startHeartbeatWriter } from "@/lib/subscribers/heartbeat";
import { liveHub } from "@/lib/subscribers/live-hub";
import { readConfiguration } from "./configuration";
import { drainable } from "./drain";
import { createFront } from "./front";
import { greet } from "./greeting";
import { MOUNTS } from "./mounts";
import { pageFinder } from "./pages";
import { runProcess } from "./run-process";
import { stopped } from "./stop-signal";
import { startWorker } from "./worker";

const root = fileURLToPath(new URL("..", import.meta.url));

const config = readConfiguration();
const application = next({
  dev: false,
  dir: root,
  hostname: "localhost",
  port: config.port,
  // Next listens for upgrades, and Node hands over every connection that offers one, as some clients do with h2c on
  // each first request. Nothing here speaks another protocol, so Next gets a server that never listens.
  httpServer: createServer(),
});
// Beside the start of the database: either takes about a second.
const prepared = application.prepare();
// Heard of by whoever waits for it below.
prepared.catch(() => undefined);
await runProcess(config, async (ready, stop) => {
  await prepared;
  if (!stop.aborted) await serve(ready, stop);
});

/** Answers requests until the process is told to stop, and ends what was under way. */
async function serve(ready: Promise<void>, stop: AbortSignal): Promise<void> {
  const handle = application.getRequestHandler();
  const server = createFront({
    mounts: MOUNTS,
    pages: (request, response) => handle(request, response),
    findPage: pageFinder(`${root}.next`),
  });
  const drain = drainable(server);
  // Connects now, so that no first request waits for it.
  sharedLimiter();
  await listen(server, config.port);
  log("info", "listening", { port: config.port });
  const stopHeartbeats = startHeartbeatWriter();
  await Promise.race([ready, stopped(stop)]);
  const stopWorker = config.worker === "inside" && !stop.aborted ? startWorker() : null;
  if (!stop.aborted) await greet(config);

  await stopped(stop);
  liveHub().close();
  // Side by side: together they must fit into the grace that supervisors give.
  await Promise.all([drain(), stopWorker?.()]);
  await stopHeartbeats();
  sharedLimiter()?.close();
  await Promise.allSettled([db().$client.end({ timeout: 2 }), workerDb().$client.end({ timeout: 2 })]);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", fail);
    server.listen(port, () => done());
  });
}
