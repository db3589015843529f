import type { Server } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { newestResponse } from "./newest-response";

const CLOSING_NOTICE_MS = 500;
/** Time for a request whose head is still arriving when the listener closes (decision 121). */
const ARRIVAL_MS = 2_000;
const DRAIN_MS = 20_000;

/**
 * Returns the function that ends a server: it takes no new requests, lets those under way finish, and closes the rest
 * after a time limit. For a moment before that every answer closes its connection; otherwise a client that keeps one
 * open could send a request just as it closes (decision 112). Connections without a request, which browsers open ahead,
 * are not waited for.
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
