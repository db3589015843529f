import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

const sockets = new WeakMap<Request, Socket>();

/** Remembers by which response a request is answered; the HTTP server calls it. */
export function noteResponseOf(request: Request, response: ServerResponse): void {
  sockets.set(request, response.req.socket);
}

/**
 * Calls `gone` when the client has closed its connection or ended its side of it, at once when it has already. The socket
 * tells it in every case: a response that was never assigned to its socket emits no `close`. The returned function stops
 * listening, because a connection outlives its request. A half-closed connection counts as gone while a request waits,
 * because a client that closes looks the same.
 */
export function onDisconnect(request: Request, gone: () => void): () => void {
  const socket = sockets.get(request);
  if (socket === undefined) {
    const { signal } = request;
    if (signal.aborted) gone();
    else signal.addEventListener("abort", gone, { once: true });
    return () => signal.removeEventListener("abort", gone);
  }
  let isTold = false;
  const tell = () => {
    if (!isTold) gone();
    isTold = true;
  };
  if (socket.destroyed || socket.readableEnded) tell();
  else socket.once("close", tell).once("end", tell);
  return () => void socket.off("close", tell).off("end", tell);
}

/** Closes the connection with whatever the client has not read; does nothing where another server holds it. */
export function dropConnection(request: Request): void {
  sockets.get(request)?.destroy();
}
