import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** Limit of pipelined requests per connection, the one in progress included. */
export const MAX_PIPELINED = 64;

export interface PipelinedExchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * Answers the pipelined requests of a connection one after the other, because only the first response has the socket
 * and is notified when it closes. Requests of a closed connection are dropped unprocessed.
 */
export class RequestPipeline {
  readonly #bySocket = new WeakMap<Duplex, PipelinedExchange[]>();

  /** `answer` gets one request per connection at a time; `refuse` answers the one over the limit and closes. */
  constructor(
    readonly answer: RequestListener,
    readonly refuse: RequestListener,
  ) {}

  /** Listener for the HTTP server's requests. */
  readonly take: RequestListener = (request, response) => {
    const line = this.#bySocket.get(request.socket) ?? [];
    // Nothing is answered after a refusal.
    if (line.length > MAX_PIPELINED) return;
    this.#bySocket.set(request.socket, line);
    if (line.push({ request, response }) === 1) this.#answerFirst(line);
    else if (line.length > MAX_PIPELINED) this.refuse(request, response);
  };

  /** The request in progress on a connection; null: idle. */
  current(socket: Duplex): PipelinedExchange | null {
    return this.#bySocket.get(socket)?.[0] ?? null;
  }

  #answerFirst(line: PipelinedExchange[]): void {
    const [first] = line;
    if (first === undefined) return;
    const { request, response } = first;
    // Refused before its turn: Node sends that response now, and closes.
    if (response.writableEnded) return;
    // Always emitted, because this response has the socket.
    response.once("close", () => {
      line.shift();
      if (request.socket.destroyed) line.length = 0;
      this.#answerFirst(line);
    });
    this.answer(request, response);
  }
}
