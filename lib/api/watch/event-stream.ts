import { connectionOf } from "@/lib/api/connection";

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

const encoder = new TextEncoder();

export const encodeEvents = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

/** The body of a response that is written as events come. It is closed when its client has gone or does not read. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | null = null;
  #isOpen = true;
  #hasRoom: () => void = () => undefined;
  readonly #drop: () => void;
  readonly #closed: () => void;

  constructor(request: Request, closed: () => void) {
    this.#closed = closed;
    const connection = connectionOf(request);
    this.#drop = () => connection.drop();
    this.body = new ReadableStream(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#hasRoom(),
        cancel: () => this.#end(),
      },
      { highWaterMark: MAX_UNREAD_BYTES, size: (chunk) => chunk.byteLength },
    );
    connection.onClose(() => this.#end());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether so many bytes may be written now. */
  hasRoomFor(bytes: number): boolean {
    return this.#isOpen && (this.#controller?.desiredSize ?? 0) >= Math.min(bytes, MAX_UNREAD_BYTES);
  }

  /** Writes once there is room, and resolves then. A client that leaves none for ten seconds is dropped. */
  async write(chunk: Uint8Array<ArrayBuffer>): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    while (this.#isOpen && !this.hasRoomFor(chunk.byteLength)) {
      if (performance.now() >= until) return this.drop();
      await this.#room(until - performance.now());
    }
    if (this.#isOpen) this.#controller?.enqueue(chunk);
  }

  /** Writes what need not arrive, unless that had to wait. */
  writeIfRoom(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.hasRoomFor(chunk.byteLength)) this.#controller?.enqueue(chunk);
  }

  /** Ends the response after what was written. */
  close(): void {
    if (!this.#isOpen) return;
    this.#controller?.close();
    this.#end();
    setTimeout(this.#drop, PATIENCE_MS).unref();
  }

  /** Ends the connection at once, with what was not read. */
  drop(): void {
    if (!this.#isOpen) return;
    this.#end();
    this.#drop();
  }

  #room(ms: number): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.#hasRoom = () => {
        clearTimeout(timer);
        done();
      };
    });
  }

  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#hasRoom();
    this.#closed();
  }
}
