import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Connection, connectionOf } from "@/lib/api/connection";

/** What one stream may hold that its client has not read. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** A client that leaves no room for so long reads no more. */
const PATIENCE_MS = 10_000;

export const EVENT_STREAM_HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // no-transform: a compressing proxy would hold events back until its buffer is full.
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

type Chunk = Uint8Array<ArrayBuffer>;

export const encodeEvents = (text: string): Chunk => Buffer.from(text);

/** Whose events are sent. */
export interface EventSource {
  /** The head of the answer is out, and events may follow. */
  opened(): void;
  /** The stream was closed, or its client has gone. */
  closed(): void;
}

/** Where events are written to. */
interface Sink {
  /** Bytes that wait for the client. */
  readonly unreadBytes: number;
  write(chunk: Chunk): void;
  /** Calls `goOn` once when there is room again. */
  onceRoom(goOn: () => void): void;
  /** Ends the answer after what was written. */
  end(): void;
}

/**
 * An answer that is written as events come. It is closed when its client has gone or does not read.
 *
 * Where this process sends the answer, events are written to the response itself: of ten thousand streams the body that a
 * reader takes them from, with its queue and its promises, would hold and cost more than all the rest.
 */
export class EventStream {
  readonly #connection: Connection;
  readonly #source: EventSource;
  /** None before the head is out. */
  #sink: Sink | null = null;
  #isOpen = true;
  /** Wakes the one who waits for room. */
  #goOn = nothing;

  constructor(request: Request, source: EventSource) {
    this.#source = source;
    this.#connection = connectionOf(request);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends the head of the answer, or hands it on where another server sends it. */
  begin(status: number, headers: Record<string, string>): Response {
    const { response } = this.#connection;
    if (response === null) {
      const body = new EventBody(() => this.#end());
      this.#open(body);
      return new Response(body.stream, { status, headers });
    }
    response.writeHead(status, headers);
    response.flushHeaders();
    this.#open(new ResponseSink(response));
    return RESPONSE_ALREADY_SENT;
  }

  /** Whether so many bytes may be written now. */
  hasRoomFor(bytes: number): boolean {
    if (!this.#isOpen || this.#sink === null) return false;
    return this.#sink.unreadBytes + Math.min(bytes, MAX_UNREAD_BYTES) <= MAX_UNREAD_BYTES;
  }

  /** Writes once there is room, and resolves then. A client that leaves none for ten seconds is dropped. */
  async write(chunk: Chunk): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    while (this.#isOpen && !this.hasRoomFor(chunk.byteLength)) {
      if (performance.now() >= until) return this.drop();
      await this.#room(until - performance.now());
    }
    this.writeIfRoom(chunk);
  }

  /** Writes what need not arrive, unless that had to wait. */
  writeIfRoom(chunk: Chunk): void {
    if (this.hasRoomFor(chunk.byteLength)) this.#sink?.write(chunk);
  }

  /** Ends the answer after what was written. */
  close(): void {
    if (!this.#isOpen) return;
    this.#sink?.end();
    this.#end();
    setTimeout(() => this.#connection.drop(), PATIENCE_MS).unref();
  }

  /** Ends the connection at once, with what was not read. */
  drop(): void {
    if (!this.#isOpen) return;
    this.#end();
    this.#connection.drop();
  }

  #open(sink: Sink): void {
    this.#sink = sink;
    // It may have been closed before it began, and its client may have gone.
    if (!this.#isOpen) {
      sink.end();
      return;
    }
    this.#connection.onClose(() => this.#end());
    this.#source.opened();
    this.#goOn();
  }

  #room(ms: number): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.#goOn = () => {
        clearTimeout(timer);
        done();
      };
      this.#sink?.onceRoom(this.#goOn);
    });
  }

  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#goOn();
    this.#source.closed();
  }
}

const nothing = () => {};

/** The response of this process. */
class ResponseSink implements Sink {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** None while Node asks for no pause, because only after one it tells of room. */
  get unreadBytes(): number {
    return this.#response.writableNeedDrain ? this.#response.writableLength : 0;
  }

  write(chunk: Chunk): void {
    this.#response.write(chunk);
  }

  onceRoom(goOn: () => void): void {
    this.#response.once("drain", goOn);
  }

  end(): void {
    this.#response.end();
  }
}

/** A body that whoever sends the answer reads. */
class EventBody implements Sink {
  readonly stream: ReadableStream<Chunk>;
  #controller: ReadableStreamDefaultController<Chunk> | null = null;
  #goOn = nothing;

  constructor(cancelled: () => void) {
    this.stream = new ReadableStream(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        // The reader has taken everything and waits.
        pull: () => this.#goOn(),
        cancel: cancelled,
      },
      { highWaterMark: 0, size: (chunk) => chunk.byteLength },
    );
  }

  get unreadBytes(): number {
    return -(this.#controller?.desiredSize ?? 0);
  }

  write(chunk: Chunk): void {
    this.#controller?.enqueue(chunk);
  }

  onceRoom(goOn: () => void): void {
    this.#goOn = goOn;
  }

  end(): void {
    this.#controller?.close();
  }
}
