import type { Server } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { SECOND_MS } from "@/lib/time";
import type { RequestPipeline } from "./request-pipeline";

const CLOSING_NOTICE_MS = 500;
/** Time for a request whose head is still arriving when the listener closes. */
const ARRIVAL_MS = 2 * SECOND_MS;
const DRAIN_MS = 20 * SECOND_MS;
const SWEEP_MS = 100;

/**
 * Returns the function that stops a server. For half a second the server still accepts connections, but every response
 * closes its connection, so that no client sends a request on a connection that is about to close. Then the server
 * refuses new connections and finishes the requests in progress. It closes connections without a request after two
 * seconds, and all others after 20 seconds.
 */
export function makeServerDrain(server: Server, pipeline: RequestPipeline): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });

  return async () => {
    server.prependListener("request", (_request, response) => {
      response.shouldKeepAlive = false;
    });
    await pause(CLOSING_NOTICE_MS);
    const closed = new Promise<void>((done) => server.close(() => done()));
    const arrivedBy = performance.now() + ARRIVAL_MS;
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      if (performance.now() > arrivedBy) closeIdle(sockets, pipeline);
    }, SWEEP_MS);
    const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    await closed;
    clearInterval(sweep);
    clearTimeout(late);
  };
}

/**
 * Destroys connections without a request in progress. Node counts a connection that never sent a request as busy, so
 * `closeIdleConnections` leaves it open.
 */
function closeIdle(sockets: ReadonlySet<Socket>, pipeline: RequestPipeline): void {
  for (const socket of sockets) if (pipeline.current(socket) === null) socket.destroy();
}
