import type { ServerResponse } from "node:http";
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

export const encodeEvents = (text: string): Uint8Array<ArrayBuffer> => Buffer.from(text);

/**
 * The body of a response that is written as events come. It is closed when its client has gone or does not read.
 *
 * Once the reader of the body has taken what there was, events are written to the response itself where this process sends
 * it: of ten thousand streams the queue and the promises between the two would cost more than the writing.
 */
export class EventStream {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #response: ServerResponse | null;
  #isDirect = false;
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | null = null;
  #isOpen = true;
  #hasRoom: () => void = () => undefined;
  readonly #drop: () => void;
  readonly #closed: () => void;

  constructor(request: Request, closed: () => void) {
    this.#closed = closed;
    const connection = connectionOf(request);
    this.#response = connection.response;
    this.#drop = () => connection.drop();
    this.body = new ReadableStream(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        // The reader has written everything, the head of the response too, and waits.
        pull: () => {
          this.#isDirect = this.#response !== null;
          this.#hasRoom();
        },
        cancel: () => this.#end(),
      },
      { highWaterMark: 0, size: (chunk) => chunk.byteLength },
    );
    connection.onClose(() => this.#end());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether so many bytes may be written now. */
  hasRoomFor(bytes: number): boolean {
    return this.#isOpen && this.#unread() + Math.min(bytes, MAX_UNREAD_BYTES) <= MAX_UNREAD_BYTES;
  }

  /** Writes once there is room, and resolves then. A client that leaves none for ten seconds is dropped. */
  async write(chunk: Uint8Array<ArrayBuffer>): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    while (this.#isOpen && !this.hasRoomFor(chunk.byteLength)) {
      if (performance.now() >= until) return this.drop();
      await this.#room(until - performance.now());
    }
    if (this.#isOpen) this.#put(chunk);
  }

  /** Writes what need not arrive, unless that had to wait. */
  writeIfRoom(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.hasRoomFor(chunk.byteLength)) this.#put(chunk);
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

  #put(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.#isDirect) this.#response?.write(chunk);
    else this.#controller?.enqueue(chunk);
  }

  /** Bytes that wait for the client; none while Node asks for no pause, because only after one it tells of room. */
  #unread(): number {
    if (!this.#isDirect) return -(this.#controller?.desiredSize ?? 0);
    return this.#response?.writableNeedDrain ? this.#response.writableLength : 0;
  }

  #room(ms: number): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.#hasRoom = () => {
        clearTimeout(timer);
        done();
      };
      this.#response?.once("drain", this.#hasRoom);
    });
  }

  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#hasRoom();
    this.#closed();
  }
}
