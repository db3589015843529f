import type { Server } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

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
  const underWay = new Map<Socket, number>();
  server.on("connection", (socket) => {
    underWay.set(socket, 0);
    socket.once("close", () => underWay.delete(socket));
  });
  server.prependListener("request", ({ socket }, response) => {
    underWay.set(socket, (underWay.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = underWay.get(socket);
      // Gone with its connection.
      if (left !== undefined) underWay.set(socket, left - 1);
    });
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
        for (const [socket, requests] of underWay) if (requests === 0) socket.destroy();
    }, 100);
    await closed;
    clearInterval(sweep);
  };
}
