import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** Requests of one connection that may be in line, the one being answered included. */
export const MAX_PIPELINED = 64;

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * The requests of each connection, answered one after the other: only the first response of a connection has the socket,
 * so only that one is told when the socket closes. The rest of a closed connection is dropped before it costs anything.
 */
export class RequestPipeline {
  readonly #bySocket = new WeakMap<Duplex, Exchange[]>();

  /** `answer` gets one request of a connection at a time; `refuse` answers the one over the limit and closes. */
  constructor(
    readonly answer: RequestListener,
    readonly refuse: RequestListener,
  ) {}

  /** The listener of an HTTP server. */
  readonly take: RequestListener = (request, response) => {
    const line = this.#bySocket.get(request.socket) ?? [];
    // Nothing is answered after a refusal.
    if (line.length > MAX_PIPELINED) return;
    this.#bySocket.set(request.socket, line);
    if (line.push({ request, response }) === 1) this.#answerFirst(line);
    else if (line.length > MAX_PIPELINED) this.refuse(request, response);
  };

  /** What is being answered on this connection; null when it is idle. */
  current(socket: Duplex): Exchange | null {
    return this.#bySocket.get(socket)?.[0] ?? null;
  }

  #answerFirst(line: Exchange[]): void {
    const [first] = line;
    if (first === undefined) return;
    const { request, response } = first;
    // Refused before its turn: Node sends what was written then, and closes.
    if (response.writableEnded) return;
    // Comes in every case: this response has the socket.
    response.once("close", () => {
      line.shift();
      if (request.socket.destroyed) line.length = 0;
      this.#answerFirst(line);
    });
    this.answer(request, response);
  }
}
