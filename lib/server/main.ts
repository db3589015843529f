/** The production process: interface, pages and background work over one database. */
import cluster from "node:cluster";
import type { Server } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { closePools } from "@/db/client";
import { closeReplica } from "@/db/replica";
import { sharedLimiter } from "@/lib/access/limits/shared/take-quota";
import { changeHub } from "@/lib/api/watch/change-hub";
import { markStopping } from "@/lib/health/read-readiness";
import type { Env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { operated } from "@/lib/runtime/operated";
import { joinProcesses } from "@/lib/runtime/processes";
import { followCalendars } from "@/lib/signals/follow-calendars";
import { startCallWriter } from "@/lib/subscribers/call-writer";
import { SECOND_MS } from "@/lib/time";
import { compileLessWhenSettled } from "./compile-less";
import { readConfiguration } from "./configuration";
import { sendConsoleToLog } from "./console-lines";
import { drainable } from "./drain";
import { createFront } from "./front";
import { greet } from "./greeting";
import { growWithOpenRequests } from "./heap-growth";
import { openMetricsPort } from "./metrics-port";
import { guardOf, MOUNTS } from "./mounts";
import { pageFinder } from "./pages/page-finder";
import { PagesThread } from "./pages/pages-thread";
import { runProcess } from "./run-process";
import { stopped } from "./stop-signal";

/** As somebody new asks for it. */
const LANDING_PAGE = { template: "/", address: "/", theme: "system" };

growWithOpenRequests(() => changeHub().size);
compileLessWhenSettled();

const BUILD = fileURLToPath(new URL("../.next", import.meta.url));

const config = readConfiguration();
// Every line on standard output is JSON, also what packages print.
sendConsoleToLog();
joinProcesses();
const pages = new PagesThread();
// It starts while the database starts: each takes about a second.
if (config.preloadPages) pages.start();
await runProcess(config, async (ready, stop) => {
  if (!stop.aborted) await serve(ready, stop);
  await pages.stop();
});

/** Answers requests until the process is told to stop, then lets those under way finish. */
async function serve(ready: Promise<void>, stop: AbortSignal): Promise<void> {
  const server = createFront({
    mounts: MOUNTS,
    pages,
    findPage: pageFinder(BUILD),
    guardOf,
  });
  const drain = drainable(server);
  // Connects now, so that no first request waits for it.
  sharedLimiter();
  await listen(server, config);
  const metricsPort =
    config.metricsPort === null ? null : openMetricsPort(config.metricsPort, config.metricsHost);
  log("info", "listening", { port: config.port });
  const stopCallWriter = startCallWriter();
  followCalendars();
  const letSettingsGo = operated().keep();
  await Promise.race([ready, stopped(stop)]);
  const stopWorker = config.worker === "inside" && !stop.aborted ? await startWorker() : null;
  // Of several processes the first web process greets for all.
  if (!stop.aborted && (cluster.worker?.id ?? 1) === 1) await greet(config);
  // The first visitor finds what makes pages loaded and has waited for none of it.
  if (!stop.aborted && config.preloadPages) void pages.make(LANDING_PAGE).catch(() => undefined);

  await stopped(stop);
  metricsPort?.close();
  // All of it at once, because together it must fit into the time that supervisors give.
  await Promise.all([letGo(drain), stopWorker?.()]);
  await stopCallWriter();
  letSettingsGo();
  sharedLimiter()?.close();
  await Promise.all([closePools(), closeReplica()]);
}

/** Loads the background jobs, which a process that only answers has no use for, and starts them. */
async function startWorker(): Promise<() => Promise<void>> {
  return (await import("./worker")).startWorker();
}

/** Is not ready from now on, answers on until balancers have seen that, and then ends the listener. */
async function letGo(drain: () => Promise<void>): Promise<void> {
  markStopping();
  await pause(config.drainDelaySeconds * SECOND_MS);
  pages.closeStreams();
  changeHub().stop();
  await drain();
}

function listen(server: Server, { port, host }: Env): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", fail);
    // Without a host it listens on every address of the machine.
    server.listen({ port, ...(host === null ? {} : { host }) }, () => done());
  });
}
