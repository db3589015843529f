/** The production process: the HTTP server, its page process and the background work over one database. */
import type { Server } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { closePools } from "@/db/client";
import { closeReplica } from "@/db/replica";
import { sharedLimiter } from "@/lib/access/limits/shared/take-quota";
import { changeHub } from "@/lib/api/watch/change-hub";
import { readGauges } from "@/lib/health/read-gauges";
import { markStopping } from "@/lib/health/read-readiness";
import type { Env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { followCalendars } from "@/lib/signals/follow-calendars";
import { startCallWriter } from "@/lib/subscribers/call-writer";
import { SECOND_MS } from "@/lib/time";
import { readConfiguration } from "./configuration";
import { sendConsoleToLog } from "./console-lines";
import { drainable } from "./drain";
import { fileFinder } from "./files";
import { createHttpServer } from "./http-server";
import { openMetricsPort } from "./metrics-port";
import { MOUNTS } from "./mounts";
import { PageClient } from "./pages/page-client";
import { pageFinder } from "./pages/page-finder";
import { PageProcess, pageSocketPath } from "./pages/page-process";
import { runProcess } from "./run-process";
import { printStartupBanner } from "./startup-banner";
import { stopped } from "./stop-signal";

/**
 * Connections that wait to be taken, as many as Linux allows by default. With Node's 511 a proxy whose streams all come back at
 * once waits in vain for most of them.
 */
const BACKLOG = 4_096;
/** What a first visitor asks for. */
const LANDING_PAGE = { address: "/", theme: "system" };

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const config = readConfiguration();
// Every line on standard output is JSON, also what packages print.
sendConsoleToLog();
const pageProcess = new PageProcess(pageSocketPath(config));
const pages = new PageClient(pageSocketPath(config), () => pageProcess.whenUp());
if (config.logFile !== null) process.on("SIGHUP", () => pageProcess.reopenLog());
await runProcess(config, async (ready, stop) => {
  if (!stop.aborted) await serve(ready, stop);
  await pages.close();
  await pageProcess.stop();
});

/** Answers requests until `stop`, then finishes those in progress. */
async function serve(ready: Promise<void>, stop: AbortSignal): Promise<void> {
  const { server, pipeline } = createHttpServer({
    mounts: MOUNTS,
    pages,
    findPage: pageFinder(join(ROOT, ".next")),
    isFile: fileFinder(ROOT),
  });
  const drain = drainable(server, pipeline);
  // Connects now, so that no first request waits for it.
  sharedLimiter();
  await listen(server, config);
  // Only now: another server on this port would lose the socket of its pages to a start that fails.
  if (config.preloadPages) pageProcess.start();
  const metricsPort =
    config.metricsPort === null
      ? null
      : openMetricsPort(config.metricsPort, config.metricsHost, { readGauges });
  log("info", "listening", { port: config.port });
  const stopCallWriter = startCallWriter();
  followCalendars();
  const letSettingsGo = settingsCache().keep();
  await Promise.race([ready, stopped(stop)]);
  const stopWorker = config.worker === "inside" && !stop.aborted ? await startWorker() : null;
  if (!stop.aborted) {
    await settingsCache().get();
    await printStartupBanner(config);
  }
  // Loads what pages need before the first visitor.
  if (!stop.aborted && config.preloadPages)
    void pages.fetchPage(LANDING_PAGE.address, LANDING_PAGE.theme).catch(() => undefined);

  await stopped(stop);
  metricsPort?.close();
  // All of it at once, because together it must fit into the time that supervisors give.
  await Promise.all([letGo(drain), stopWorker?.()]);
  await stopCallWriter();
  letSettingsGo();
  sharedLimiter()?.close();
  await Promise.all([closePools(), closeReplica()]);
}

/** Loads and starts the background jobs, which a process without them need not load. */
async function startWorker(): Promise<() => Promise<void>> {
  return (await import("./worker")).startWorker();
}

/** Reports "not ready", goes on answering until balancers have seen that, then ends the listener. */
async function letGo(drain: () => Promise<void>): Promise<void> {
  markStopping();
  await pause(config.drainDelaySeconds * SECOND_MS);
  pageProcess.closeStreams();
  changeHub().stop();
  await drain();
}

function listen(server: Server, { port, host }: Env): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", fail);
    // Without a host it listens on every address of the machine.
    server.listen({ port, backlog: BACKLOG, ...(host === null ? {} : { host }) }, () => done());
  });
}
