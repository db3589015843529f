/** The production process: interface, pages and background work over one database. */
import cluster from "node:cluster";
import { createServer, type Server } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import next from "next";
import { closePools } from "@/db/client";
import { closeReplica } from "@/db/replica";
import { sharedLimiter } from "@/lib/access/limits/shared/take-quota";
import { keyWatch } from "@/lib/api/watch/key-watch";
import { markStopping } from "@/lib/health/read-readiness";
import type { Env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { operated } from "@/lib/runtime/operated";
import { joinProcesses } from "@/lib/runtime/processes";
import { followCalendars } from "@/lib/signals/follow-calendars";
import { startCallWriter } from "@/lib/subscribers/call-writer";
import { liveHub } from "@/lib/subscribers/live-hub";
import { SECOND_MS } from "@/lib/time";
import { readConfiguration } from "./configuration";
import { sendConsoleToLog } from "./console-lines";
import { drainable } from "./drain";
import { createFront } from "./front";
import { greet } from "./greeting";
import { limitHeapGrowth } from "./heap-growth";
import { openMetricsPort } from "./metrics-port";
import { guardOf, MOUNTS } from "./mounts";
import { pageFinder } from "./pages";
import { preloadPages } from "./preload-pages";
import { runProcess } from "./run-process";
import { stopped } from "./stop-signal";
import { startWorker } from "./worker";

limitHeapGrowth();

const root = fileURLToPath(new URL("..", import.meta.url));
const BUILD = `${root}.next`;

const config = readConfiguration();
// Every line on standard output is JSON, also what packages print.
sendConsoleToLog();
joinProcesses();
const application = next({
  dev: false,
  dir: root,
  hostname: "localhost",
  port: config.port,
  // decision 124: Next adds a listener for upgrades to its server, and Node then hands every connection that offers one
  // to that listener; some clients offer h2c on each first request. No other protocol is spoken here, so Next gets a
  // server that never listens.
  httpServer: createServer(),
});
// Next starts while the database starts: each takes about a second.
const prepared = application.prepare();
// A failure is reported where `prepared` is awaited below.
prepared.catch(() => undefined);
await runProcess(config, async (ready, stop) => {
  await prepared;
  if (!stop.aborted) await serve(ready, stop);
});

/** Answers requests until the process is told to stop, then lets those under way finish. */
async function serve(ready: Promise<void>, stop: AbortSignal): Promise<void> {
  const handle = application.getRequestHandler();
  const server = createFront({
    mounts: MOUNTS,
    pages: (request, response) => handle(request, response),
    findPage: pageFinder(BUILD),
    guardOf,
  });
  const drain = drainable(server);
  // Connects now, so that no first request waits for it.
  sharedLimiter();
  await listen(server, config);
  const metricsPort = config.metricsPort === null ? null : openMetricsPort(config.metricsPort);
  log("info", "listening", { port: config.port });
  const stopCallWriter = startCallWriter(() => keyWatch().whenAllAreTold());
  followCalendars();
  const letSettingsGo = operated().keep();
  await Promise.race([ready, stopped(stop)]);
  const stopWorker = config.worker === "inside" && !stop.aborted ? startWorker() : null;
  // Of several processes the first web process greets for all.
  if (!stop.aborted && (cluster.worker?.id ?? 1) === 1) await greet(config);

  if (config.preloadPages) await preloadPages(BUILD, stop);

  await stopped(stop);
  metricsPort?.close();
  // All of it at once, because together it must fit into the time that supervisors give.
  await Promise.all([letGo(drain), stopWorker?.()]);
  await stopCallWriter();
  letSettingsGo();
  sharedLimiter()?.close();
  await Promise.all([closePools(), closeReplica()]);
}

/** Is not ready from now on, answers on until balancers have seen that, and then ends the listener. */
async function letGo(drain: () => Promise<void>): Promise<void> {
  markStopping();
  await pause(config.drainDelaySeconds * SECOND_MS);
  liveHub().close();
  keyWatch().stop();
  await drain();
}

function listen(server: Server, { port, host }: Env): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", fail);
    // Without a host it listens on every address of the machine.
    server.listen({ port, ...(host === null ? {} : { host }) }, () => done());
  });
}
