import type { Server } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { newestResponse } from "./newest-response";

const CLOSING_NOTICE_MS = 500;
/** For a request whose head is still arriving when the listener closes. */
const ARRIVAL_MS = 2_000;
const DRAIN_MS = 20_000;

/**
 * Returns the way to end a server: it takes no new requests, lets those under way finish, and gives up on the rest in
 * time. For a moment before that every answer closes its connection: a client that keeps one open would otherwise send
 * into its end. A connection that carries no request, as browsers open them ahead, is not waited for.
 */
export function drainable(server: Server): () => Promise<void> {
  const connections = new Set<Socket>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });

  return async () => {
    server.prependListener("request", (_request, response) => {
      response.shouldKeepAlive = false;
    });
    await pause(CLOSING_NOTICE_MS);
    const closed = new Promise<void>((done) => server.close(() => done()));
    server.closeIdleConnections();
    const deadlineAt = performance.now() + DRAIN_MS;
    const arrivedBy = performance.now() + ARRIVAL_MS;
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      if (performance.now() > deadlineAt) server.closeAllConnections();
      else if (performance.now() > arrivedBy)
        for (const socket of connections) if (newestResponse(socket)?.closed !== false) socket.destroy();
    }, 100);
    await closed;
    clearInterval(sweep);
  };
}
