/** The production process: interface, pages and background work over one database. */
import { createServer, type Server } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import next from "next";
import { db, workerDb } from "@/db/client";
import { startHeartbeatWriter } from "../heartbeat";
import { liveHub } from "../live/live-hub";
import { errorFacts, flushLog, log } from "../log";
import { sharedLimiter } from "../shared-limiter/take-quota";
import { startWorker } from "../worker";
import { readConfiguration } from "./configuration";
import { openDatabase } from "./database";
import { createFront } from "./front";
import { greet } from "./greeting";
import { MOUNTS } from "./mounts";
import { pageFinder } from "./pages";

const DRAIN_MS = 20_000;
const CLOSING_NOTICE_MS = 500;

const root = fileURLToPath(new URL("..", import.meta.url));

async function main(): Promise<void> {
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
  const [database] = await Promise.all([openDatabase(config), application.prepare()]);
  const handle = application.getRequestHandler();
  const server = createFront({
    mounts: MOUNTS,
    pages: (request, response) => handle(request, response),
    findPage: pageFinder(`${root}.next`),
  });
  // Connects now, so that no first request waits for it.
  sharedLimiter();
  await listen(server, config.port);
  const stopHeartbeats = startHeartbeatWriter();
  let stopWorker = async () => {};
  log("info", "listening", { port: config.port });

  stopOnSignal(async () => {
    liveHub().close();
    await drain(server);
    await stopWorker();
    await stopHeartbeats();
    sharedLimiter()?.close();
    await Promise.allSettled([db().$client.end({ timeout: 2 }), workerDb().$client.end({ timeout: 2 })]);
    await database.close();
    await flushLog();
  });
  await database.ready;
  if (config.worker === "inside") stopWorker = startWorker();
  await greet(config);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", fail);
    server.listen(port, () => done());
  });
}

/**
 * Takes no new requests, lets those under way finish, and gives up on the rest in time. For a moment before that every
 * answer closes its connection: a client that keeps one open would otherwise send into its end.
 */
async function drain(server: Server): Promise<void> {
  server.prependListener("request", (_request, response) => {
    response.shouldKeepAlive = false;
  });
  await pause(CLOSING_NOTICE_MS);
  const closed = new Promise<void>((done) => server.close(() => done()));
  server.closeIdleConnections();
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(deadline);
}

function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = () => {
    if (stopping) return;
    stopping = true;
    log("info", "stopping");
    // Whatever hangs must not outlive the grace that supervisors give.
    setTimeout(() => process.exit(1), 24_000).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log("error", "the stop was not clean", { error: errorFacts(error) });
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

process.on("unhandledRejection", (reason) =>
  log("error", "an unhandled rejection", { error: errorFacts(reason) }),
);

main().catch((error: unknown) => {
  process.stderr.write(
    `The service could not start: ${error instanceof Error ? error.message : "unknown reason"}\n`,
  );
  process.exit(1);
});
