import { dropConnection, onDisconnect } from "@/lib/api/connection";

/** What one stream may hold that its client has not read. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** A client that leaves no room for so long no longer reads. */
const LOCK_TIMEOUT_MS = 10_000;

export const EVENT_STREAM_HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // no-transform: a compressing proxy would hold events back until its buffer is full.
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

type Chunk = Uint8Array<ArrayBuffer>;

export const encodeEvents = (text: string): Chunk => Buffer.from(text);

/**
 * The body of an answer that is written as events come. It ends when it is closed, when its client closes the connection
 * and when its client stops reading. `onEnd` is called once; if the connection is closed already, by the constructor.
 */
export class EventStream {
  readonly body: ReadableStream<Chunk>;
  #controller: ReadableStreamDefaultController<Chunk> | null = null;
  #isOpen = true;
  #forgetClient = () => {};
  /** Wakes the writer that waits for room. */
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

  /** Writes once there is room, and resolves then. A client that leaves none for ten seconds is dropped. */
  async write(chunk: Chunk): Promise<void> {
    const until = performance.now() + LOCK_TIMEOUT_MS;
    while (this.#isOpen && !this.#hasRoomFor(chunk)) {
      if (performance.now() >= until) return this.#drop();
      await this.#room(until - performance.now());
    }
    this.writeIfRoom(chunk);
  }

  /** Writes now, or leaves it out when the client has not read what was written before. */
  writeIfRoom(chunk: Chunk): void {
    if (this.#isOpen && this.#hasRoomFor(chunk)) this.#controller?.enqueue(chunk);
  }

  /** Ends the answer after what was written. */
  close(): void {
    if (!this.#isOpen) return;
    this.#controller?.close();
    this.#end();
  }

  #drop(): void {
    dropConnection(this.request);
    this.close();
  }

  #hasRoomFor({ byteLength }: Chunk): boolean {
    return (this.#controller?.desiredSize ?? 0) >= Math.min(byteLength, MAX_UNREAD_BYTES);
  }

  #room(ms: number): Promise<void> {
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
