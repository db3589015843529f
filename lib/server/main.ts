/** The production process: interface, pages and background work over one database. */
import { createServer, type Server } from "node:http";
import { fileURLToPath } from "node:url";
import next from "next";
import { db, workerDb } from "@/db/client";
import type { Env } from "../env";
import { startHeartbeatWriter } from "../heartbeat";
import { liveHub } from "../live/live-hub";
import { errorFacts, flushLog, log } from "../log";
import { sharedLimiter } from "../shared-limiter/take-quota";
import { startWorker } from "../worker";
import { readConfiguration } from "./configuration";
import { type OpenDatabase, openDatabase } from "./database";
import { drainable } from "./drain";
import { createFront } from "./front";
import { greet } from "./greeting";
import { MOUNTS } from "./mounts";
import { pageFinder } from "./pages";

const root = fileURLToPath(new URL("..", import.meta.url));

async function main(): Promise<void> {
  const config = readConfiguration();
  const application = next({
    dev: false,
    dir: root,
    hostname: "localhost",
    port: config.port,
    // Next takes upgrades of the server that it is given, else of ours: one that never listens gets none. Nothing here
    // speaks WebSocket, and a request that offers another protocol is answered like any other.
    httpServer: createServer(),
  });
  const prepared = application.prepare();
  // Heard of by whoever waits for it below.
  prepared.catch(() => undefined);
  const database = await openDatabase(config);
  try {
    await prepared;
    await serve(config, application.getRequestHandler(), database);
  } catch (error) {
    // What was started for this process alone must not outlive it.
    await database.close();
    throw error;
  }
}

async function serve(config: Env, handle: RequestHandler, database: OpenDatabase): Promise<void> {
  const server = createFront({
    mounts: MOUNTS,
    pages: (request, response) => handle(request, response),
    findPage: pageFinder(`${root}.next`),
  });
  const drain = drainable(server);
  // Connects now, so that no first request waits for it.
  sharedLimiter();
  await listen(server, config.port);
  const stopHeartbeats = startHeartbeatWriter();
  let stopWorker = async () => {};
  log("info", "listening", { port: config.port });

  stopOnSignal(async () => {
    liveHub().close();
    // Side by side: together they must fit into the grace that supervisors give.
    await Promise.all([drain(), stopWorker()]);
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

type RequestHandler = ReturnType<ReturnType<typeof next>["getRequestHandler"]>;

function listen(server: Server, port: number): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", fail);
    server.listen(port, () => done());
  });
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
