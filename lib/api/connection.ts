import type { ServerResponse } from "node:http";

/** What a handler that stays open may do with the connection of its request. */
export interface Connection {
  /** Calls `closed` once, when the connection or the answer has ended. */
  onClose(closed: () => void): void;
  /** Closes it without a further word. */
  drop(): void;
}

const responses = new WeakMap<Request, ServerResponse>();

/** Remembers by which response a request is answered; the lean server calls it. */
export function noteResponseOf(request: Request, response: ServerResponse): void {
  responses.set(request, response);
}

/** The connection of a request; where another server answers it, as far as the request itself tells. */
export function connectionOf(request: Request): Connection {
  const response = responses.get(request);
  if (response === undefined)
    return {
      onClose: (closed) => request.signal.addEventListener("abort", closed, { once: true }),
      drop: () => undefined,
    };
  return {
    onClose: (closed) => {
      if (response.destroyed) closed();
      else response.once("close", closed);
    },
    drop: () => response.destroy(),
  };
}
