/** Entry point of the page process: Next's server on a local socket, which only processes of this user can open. */

import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import next from "next";
import { closePools, setProcessKind } from "@/db/client";
import { closeReplica } from "@/db/replica";
import { sharedLimiter } from "@/lib/access/limits/shared/take-quota";
import { changeHub } from "@/lib/api/watch/change-hub";
import { env } from "@/lib/runtime/env";
import { errorFacts, flushLog, log, writeLogTo } from "@/lib/runtime/log";
import { forwardCallsToParent } from "@/lib/runtime/server-rpc";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { endProcess } from "@/lib/server/end-process";
import { logUnhandledRejections } from "@/lib/server/unhandled-rejections";
import { keepCalendarsInSync } from "@/lib/signals/sync-calendars";
import { SECOND_MS } from "@/lib/time";
import { pageFinder } from "./page-finder";
import { pageListener } from "./page-listener";
import {
  LOG_DESCRIPTOR,
  PAGE_PROCESS_HEARTBEAT_MS,
  type PageProcessCommand,
  type PageProcessMessage,
} from "./page-process";
import { PageResponse } from "./page-response";

const [, , socketPath] = process.argv;
if (socketPath === undefined || process.send === undefined)
  throw new Error("the page process is started by the server");
const root = fileURLToPath(new URL("..", import.meta.url));
/** Time limit of this process's shutdown, shorter than the time after which the HTTP server kills it. */
const END_MS = 4 * SECOND_MS;

// `maxHeaderSize` leaves room for the headers that the HTTP server adds. The HTTP server enforces all other limits.
const server = createServer({
  ServerResponse: PageResponse,
  requireHostHeader: false,
  maxHeaderSize: 65_536,
  requestTimeout: 0,
  keepAliveTimeout: 0,
  headersTimeout: 0,
});

writeLogTo(LOG_DESCRIPTOR);
logUnhandledRejections();
// Logs uncaught errors, because Next only prints them.
process.on("uncaughtExceptionMonitor", (error) =>
  log("error", "an uncaught error", { error: errorFacts(error) }),
);
// The HTTP server ends this process by a signal or by its own exit, possibly during the start.
process.on("disconnect", () => void end());
process.on("SIGTERM", () => void end());
// Ctrl+C reaches both processes, and the HTTP server ends this one after its requests.
process.on("SIGINT", () => undefined);
// Sent by the HTTP server after its LOG_FILE was renamed. Without a listener it would end a process that has not logged
// yet.
process.on("SIGHUP", () => undefined);
setProcessKind("pages");
forwardCallsToParent();

const application = next({
  dev: false,
  dir: root,
  hostname: "localhost",
  port: env().port,
  // Next adds an upgrade listener to this server, which never listens: other protocols are not supported.
  httpServer: createServer(),
});
await application.prepare();
const listener = pageListener({
  next: application.getRequestHandler(),
  findPage: pageFinder(fileURLToPath(new URL("../.next", import.meta.url))),
});
server.on("request", (request, response) => void listener(request, response));
listen(socketPath);
await once(server, "listening");
keepCalendarsInSync();
settingsCache().keep();

process.on("message", (order: PageProcessCommand | { pages?: undefined }) => {
  if (order.pages === "close-streams") changeHub().stop();
});
tell({ pages: "listening" });
if (!process.connected) void end();
setInterval(() => {
  const { rss, heapUsed } = process.memoryUsage();
  tell({ pages: "beat", residentBytes: rss, heapBytes: heapUsed });
}, PAGE_PROCESS_HEARTBEAT_MS).unref();

/**
 * Listens on a socket that only this user can open, because this process trusts every request as one of the HTTP
 * server.
 */
function listen(path: string): void {
  if (process.platform !== "win32") rmSync(path, { force: true });
  const umask = process.umask(0o177);
  server.listen(path);
  process.umask(umask);
}

function tell(news: PageProcessMessage): void {
  // The HTTP server may have just exited.
  if (process.connected) process.send?.(news, () => undefined);
}

async function end(): Promise<never> {
  // Ends the process even if closing the pools waits for a database that does not answer.
  setTimeout(() => endProcess(1), END_MS).unref();
  server.close();
  server.closeAllConnections();
  sharedLimiter()?.close();
  await Promise.allSettled([closePools(), closeReplica()]);
  await flushLog();
  endProcess(0);
}
