import type { IncomingMessage, ServerResponse } from "node:http";

const messages = new WeakMap<Request, IncomingMessage>();

/** Remembers the message of a request for the functions below. The HTTP server calls it for each request. */
export function rememberMessage(request: Request, response: ServerResponse): void {
  messages.set(request, response.req);
}

/** Whether the body ended before it was complete. Its stream then ends as if it were, if nothing had read it yet. */
export function isBodyCutOff(request: Request): boolean {
  return messages.get(request)?.complete === false;
}

/**
 * Calls `gone` once when the client closes or half-closes its connection, or at once if it already has. A half-closed
 * connection counts as closed, because it looks the same as a closing client. The returned function removes the
 * listener, because a connection outlives its request. It listens on the socket, because a response that was never
 * assigned to its socket emits no `close`.
 */
export function onDisconnect(request: Request, gone: () => void): () => void {
  const socket = messages.get(request)?.socket;
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
  messages.get(request)?.socket.destroy();
}
