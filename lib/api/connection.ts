import type { ServerResponse } from "node:http";
import { Attached } from "@/lib/runtime/attached";

/** What a handler that stays open may do with the connection of its request. */
export interface Connection {
  /** By which this process answers the request; null where another server does. */
  readonly response: ServerResponse | null;
  /** Calls `closed` once, when the connection or the answer has ended. */
  onClose(closed: () => void): void;
  /**
   * Ends a request without a body at once, which else happens with its answer: thousands who wait are answered in the same
   * second, and have time before.
   */
  endRequest(): void;
  /** Closes it without a further word. */
  drop(): void;
  /** Reads nothing more from it, until the returned function is called, which holds nothing of the request. */
  pause(): () => void;
}

const responses = new Attached<Request, ServerResponse>();

/** Remembers by which response a request is answered; the lean server calls it. */
export function noteResponseOf(request: Request, response: ServerResponse): void {
  responses.set(request, response);
}

/** The connection of a request; where another server answers it, as far as the request itself tells. */
export function connectionOf(request: Request): Connection {
  const response = responses.of(request);
  return response === undefined ? new UnknownConnection(request) : new OwnConnection(response);
}

class OwnConnection implements Connection {
  constructor(readonly response: ServerResponse) {}

  onClose(closed: () => void): void {
    if (this.response.destroyed) closed();
    // It comes once; a listener that is called once only is two more objects of each open request.
    else this.response.on("close", closed);
  }

  endRequest(): void {
    this.response.req.resume();
  }

  drop(): void {
    this.response.destroy();
  }

  pause(): () => void {
    // The response lets go of its socket when it has been sent; its request does not.
    const { socket } = this.response.req;
    socket.pause();
    return () => socket.resume();
  }
}

class UnknownConnection implements Connection {
  readonly response = null;

  constructor(private readonly request: Request) {}

  onClose(closed: () => void): void {
    if (this.request.signal.aborted) closed();
    else this.request.signal.addEventListener("abort", closed, { once: true });
  }

  endRequest(): void {}

  drop(): void {}

  pause(): () => void {
    return () => undefined;
  }
}
