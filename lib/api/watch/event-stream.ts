import { dropConnection, onDisconnect } from "@/lib/api/connection";

/** Maximum number of bytes per stream that wait to be read; a single larger chunk is written once nothing waits. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** A client is dropped if it reads nothing for this time while a chunk waits for room. */
const STALLED_MS = 10_000;

export const EVENT_STREAM_HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // no-transform: a compressing proxy would hold events back until its buffer is full.
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

type Chunk = Uint8Array<ArrayBuffer>;

export const encodeEvents = (text: string): Chunk => Buffer.from(text);

/**
 * A response body of server-sent events. It ends when it is closed, when its client disconnects, and when a chunk waits
 * and its client reads nothing. `onEnd` is called once, by the constructor if the connection is already closed.
 */
export class EventStream {
  readonly body: ReadableStream<Chunk>;
  #controller: ReadableStreamDefaultController<Chunk> | null = null;
  #isOpen = true;
  #forgetClient = () => {};
  /** Resumes the call of `write` that waits until the client has read earlier chunks. */
  #wake = () => {};

  constructor(
    private readonly request: Request,
    private readonly onEnd: () => void,
  ) {
    this.body = new ReadableStream<Chunk>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#wake(),
        cancel: () => this.#end(),
      },
      { highWaterMark: MAX_UNREAD_BYTES, size: (chunk) => chunk.byteLength },
    );
    this.#forgetClient = onDisconnect(request, () => this.close());
    if (!this.#isOpen) this.#forgetClient();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Waits until the client has read enough of earlier chunks, then writes. A slow client may take long, but one that
   * reads nothing for STALLED_MS is dropped.
   */
  async write(chunk: Chunk): Promise<void> {
    let room = this.#room;
    let until = performance.now() + STALLED_MS;
    while (this.#isOpen && !this.#hasRoomFor(chunk)) {
      if (performance.now() >= until) return this.#drop();
      await this.#woken(until - performance.now());
      // Other writes meanwhile take room; only reading gives some.
      if (this.#room > room) until = performance.now() + STALLED_MS;
      room = this.#room;
    }
    this.writeIfRoom(chunk);
  }

  /** Writes the chunk at once, or drops it if it would exceed the limit of unread bytes. */
  writeIfRoom(chunk: Chunk): void {
    if (this.#isOpen && this.#hasRoomFor(chunk)) this.#controller?.enqueue(chunk);
  }

  /** Ends the response after the chunks that were written. */
  close(): void {
    if (!this.#isOpen) return;
    this.#controller?.close();
    this.#end();
  }

  #drop(): void {
    dropConnection(this.request);
    this.close();
  }

  get #room(): number {
    return this.#controller?.desiredSize ?? 0;
  }

  #hasRoomFor({ byteLength }: Chunk): boolean {
    return this.#room >= Math.min(byteLength, MAX_UNREAD_BYTES);
  }

  /** Resolves when `#wake` is called, or after `ms`. */
  #woken(ms: number): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.#wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  }

  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#forgetClient();
    this.#wake();
    this.onEnd();
  }
}
