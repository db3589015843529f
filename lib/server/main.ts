/** The production process: HTTP server, page process and worker over one database. */
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
import { keepCalendarsInSync } from "@/lib/signals/sync-calendars";
import { startHeartbeatFlusher } from "@/lib/subscribers/heartbeat-flusher";
import { SECOND_MS } from "@/lib/time";
import { readConfigurationOrExit } from "./configuration";
import { retryUntilReachable } from "./database";
import { makeServerDrain } from "./drain";
import { createHttpServer } from "./http-server";
import { openMetricsPort } from "./metrics-port";
import { MOUNTS } from "./mounts";
import { PageClient } from "./pages/page-client";
import { pageFinder } from "./pages/page-finder";
import { PageProcess, pageSocketPath } from "./pages/page-process";
import { runServiceProcess } from "./run-process";
import { printStartupBanner } from "./startup-banner";
import { staticFileMatcher } from "./static-files";
import { whenStopped } from "./stop-signal";

/**
 * Backlog of connections that are not accepted yet, as large as Linux allows by default. With Node's 511, most of the
 * connections would time out when a proxy reconnects all its streams at once.
 */
const BACKLOG = 4_096;
/** The page that is rendered once to warm up the renderer. */
const LANDING_PAGE = { address: "/", theme: "system" };

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const config = readConfigurationOrExit();
const pageProcess = new PageProcess(pageSocketPath(config));
const pages = new PageClient(pageSocketPath(config), () => pageProcess.whenUp());
if (config.logFile !== null) process.on("SIGHUP", () => pageProcess.reopenLog());
await runServiceProcess(config, async (ready, stop) => {
  if (!stop.aborted) await serve(ready, stop);
  await pages.close();
  await pageProcess.stop();
});

/** Serves requests until `stop`, then finishes those in progress. */
async function serve(ready: Promise<void>, stop: AbortSignal): Promise<void> {
  const { server, pipeline } = createHttpServer({
    mounts: MOUNTS,
    pages,
    findPage: pageFinder(join(ROOT, ".next")),
    isFile: staticFileMatcher(ROOT),
  });
  const drain = makeServerDrain(server, pipeline);
  // Connects to Redis in advance, so that the first request does not wait for it.
  sharedLimiter();
  await listen(server, config);
  // After listening, because otherwise a failing second start on this port would take over the socket of the running
  // page process.
  if (config.preloadPages) pageProcess.start();
  const metricsPort =
    config.metricsPort === null
      ? null
      : openMetricsPort(config.metricsPort, config.metricsHost, { readGauges });
  log("info", "listening", { port: config.port });
  const stopHeartbeatFlusher = startHeartbeatFlusher();
  keepCalendarsInSync();
  const stopRefreshing = settingsCache().keep();
  await Promise.race([ready, whenStopped(stop)]);
  const stopWorker = config.worker === "inside" && !stop.aborted ? await startWorker() : null;
  if (!stop.aborted) await Promise.race([announce(), whenStopped(stop)]);
  // Warm up the page renderer before the first request.
  if (!stop.aborted && config.preloadPages)
    void pages.fetchPage(LANDING_PAGE.address, LANDING_PAGE.theme).catch(() => undefined);

  await whenStopped(stop);
  metricsPort?.close();
  // In parallel, because everything must fit into the supervisor's time limit.
  await Promise.all([shutDown(drain), stopWorker?.()]);
  await stopHeartbeatFlusher();
  stopRefreshing();
  sharedLimiter()?.close();
  await Promise.all([closePools(), closeReplica()]);
}

/** Prints the banner as soon as the database answers. */
function announce(): Promise<void> {
  return retryUntilReachable(async () => {
    await settingsCache().get();
    await printStartupBanner(config);
  });
}

/** Loads and starts the worker. Imported only here, because other processes do not need it. */
async function startWorker(): Promise<() => Promise<void>> {
  return (await import("./worker")).startWorker();
}

/** Reports "not ready", waits until load balancers have noticed, then stops the listener. */
async function shutDown(drain: () => Promise<void>): Promise<void> {
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
