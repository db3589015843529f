import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

const sockets = new WeakMap<Request, Socket>();

/**
 * Remembers the socket of a request for `onDisconnect` and `dropConnection`. The HTTP server calls it for each request.
 */
export function rememberSocket(request: Request, response: ServerResponse): void {
  sockets.set(request, response.req.socket);
}

/**
 * Calls `gone` once when the client closes or half-closes its connection, or at once if it already has. A half-closed
 * connection counts as closed, because it looks the same as a closing client. The returned function removes the
 * listener, because a connection outlives its request. It listens on the socket, because a response that was never
 * assigned to its socket emits no `close`.
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

/**
 * Destroys the connection of a request and discards unsent data. Does nothing if the socket of the request is not
 * known.
 */
export function dropConnection(request: Request): void {
  sockets.get(request)?.destroy();
}
