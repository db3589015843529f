import { connect, type Socket } from "node:net";
import type { HttpAnswer } from "@/tests/support/openapi-check";

/** The server that requests are sent to. */
export interface ServerAddress {
  host: string;
  port: number;
}

export interface Answer extends HttpAnswer {
  /** Time since the bytes were sent, or since the previous answer. */
  ms: number;
  /** The answer is an event stream, of which only the status and the headers were read. */
  isStream: boolean;
}

export interface RawRequests {
  /** Chunks to write, with a few milliseconds between them. */
  pieces: readonly Buffer[];
  /** The method of each request, because an answer to HEAD has no body. */
  methods: readonly string[];
  /**
   * `read`: waits for the answers. `end`: half-closes after the last byte. `destroy`: destroys the socket after the last
   * byte. `first byte`: destroys the socket when an answer begins. `write first`: reads nothing until all is written.
   */
  ending: "read" | "end" | "destroy" | "first byte" | "write first";
  /** Time in milliseconds within which all answers must arrive. */
  patienceMs: number;
}

export interface RawAnswers {
  answers: Answer[];
  /** The connection ended before this client closed it. */
  isClosed: boolean;
  isReset: boolean;
  /** The timeout expired. */
  isLate: boolean;
}

const PIECE_PAUSE_MS = 3;

/** Sends bytes over a new connection and parses the answers. Rejects if the answers are not HTTP or the port refuses. */
export function sendRawRequests({ host, port }: ServerAddress, wanted: RawRequests): Promise<RawAnswers> {
  return new Promise((done, fail) => {
    const heard: RawAnswers = { answers: [], isClosed: false, isReset: false, isLate: false };
    const socket = connect({ host, port, noDelay: true, allowHalfOpen: true });
    const reader = new AnswerReader(wanted.methods);
    let pauseTimer: NodeJS.Timeout | undefined;
    let since = performance.now();
    const finish = (error?: unknown) => {
      clearTimeout(timer);
      clearTimeout(pauseTimer);
      socket.destroy();
      if (error === undefined) done(heard);
      else fail(error);
    };
    const timer = setTimeout(() => {
      heard.isLate = true;
      finish();
    }, wanted.patienceMs);
    const take = (answers: Omit<Answer, "ms">[]) => {
      for (const answer of answers) {
        const now = performance.now();
        heard.answers.push({ ...answer, ms: now - since });
        since = now;
      }
    };
    const write = (n: number) => {
      const piece = wanted.pieces[n];
      const isLast = n >= wanted.pieces.length - 1;
      const written = () => {
        since = performance.now();
        if (!isLast) pauseTimer = setTimeout(() => write(n + 1), PIECE_PAUSE_MS);
        else if (wanted.ending === "destroy") finish();
        else if (wanted.ending === "end") socket.end();
        else if (wanted.ending === "write first") socket.resume();
      };
      if (piece === undefined) written();
      else socket.write(piece, written);
    };
    socket.on("connect", () => write(0));
    socket.on("data", (chunk: Buffer) => {
      if (wanted.ending === "first byte") return finish();
      try {
        take(reader.push(chunk));
      } catch (error) {
        return finish(error);
      }
      const isAnswered = heard.answers.length >= wanted.methods.length;
      // After a half-close, reads until the server closes.
      if ((isAnswered && wanted.ending !== "end") || heard.answers.at(-1)?.isStream) finish();
    });
    if (wanted.ending === "write first") socket.pause();
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") return finish(error);
      heard.isReset = true;
    });
    const closed = () => {
      heard.isClosed = true;
      take(reader.end());
      finish();
    };
    socket.on("end", closed);
    socket.on("close", closed);
  });
}

/** Sends one request over a new connection. Rejects if no answer arrives within `patienceMs` milliseconds. */
export async function sendOneRequest(
  target: ServerAddress,
  { method = "GET", path, headers = {}, patienceMs = 20_000 }: SingleRequest,
): Promise<Answer> {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytes = Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${fields.join("")}\r\n`, "latin1");
  const heard = await sendRawRequests(target, {
    pieces: [bytes],
    methods: [method],
    ending: "read",
    patienceMs,
  });
  const [answer] = heard.answers;
  if (!answer)
    throw new Error(`${method} ${path}: ${heard.isLate ? `no answer in ${patienceMs} ms` : "closed"}`);
  return answer;
}

interface SingleRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  patienceMs?: number;
}

/** Opens a connection that sends these bytes and reads nothing. The caller destroys the socket. */
export function sendWithoutReading({ host, port }: ServerAddress, bytes: Buffer): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = connect({ host, port });
    socket.pause();
    socket.once("error", fail);
    socket.once("connect", () => {
      socket.off("error", fail);
      socket.on("error", () => undefined);
      socket.write(bytes);
      done(socket);
    });
  });
}

/** Splits a server's bytes into answers. */
class AnswerReader {
  #rest: Buffer = Buffer.alloc(0);
  #head: { status: number; headers: Headers; length: number | "chunked" | "until the end" } | null = null;
  #seen = 0;
  /** All further bytes belong to an event stream and are ignored. */
  #isStreaming = false;

  constructor(readonly methods: readonly string[]) {}

  push(chunk: Buffer): Omit<Answer, "ms">[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const answers: Omit<Answer, "ms">[] = [];
    for (let answer = this.#next(); answer; answer = this.#next()) answers.push(answer);
    return answers;
  }

  /** The pending answer without a length, which ends when the connection ends. */
  end(): Omit<Answer, "ms">[] {
    return this.#head?.length === "until the end" ? [this.#made(this.#rest)] : [];
  }

  #next(): Omit<Answer, "ms"> | null {
    if (this.#isStreaming) return null;
    if (this.#head === null) {
      const at = this.#rest.indexOf("\r\n\r\n");
      if (at < 0) return null;
      this.#head = this.#readHead(this.#rest.toString("latin1", 0, at));
      this.#rest = this.#rest.subarray(at + 4);
      // "100 Continue" precedes an answer and is not one.
      if (this.#head.status < 200) {
        this.#head = null;
        return this.#next();
      }
    }
    const { length, headers } = this.#head;
    if (headers.get("content-type")?.startsWith("text/event-stream") && length !== 0) {
      this.#isStreaming = true;
      return this.#made(Buffer.alloc(0), true);
    }
    if (length === "until the end") return null;
    const [body, used] = length === "chunked" ? this.#unchunked() : this.#whole(length);
    if (body === null) return null;
    this.#rest = this.#rest.subarray(used);
    return this.#made(body);
  }

  #made(body: Buffer, isStream = false): Omit<Answer, "ms"> {
    if (this.#head === null) throw new Error("an answer without a head");
    const { status, headers } = this.#head;
    this.#head = null;
    this.#seen++;
    const text = headers.has("content-encoding") ? "" : body.toString();
    const isJson = text !== "" && headers.get("content-type")?.startsWith("application/json");
    return { status, headers, text, json: isJson ? JSON.parse(text) : null, isStream };
  }

  #readHead(text: string) {
    const [first = "", ...lines] = text.split("\r\n");
    const status = Number(/^HTTP\/1\.1 ([0-9]{3})(?: |$)/.exec(first)?.[1]);
    if (!status) throw new Error(`no answer of HTTP: ${JSON.stringify(first.slice(0, 200))}`);
    const headers = new Headers();
    for (const line of lines)
      headers.append(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1));
    const hasBody = this.methods[this.#seen] !== "HEAD" && status >= 200 && status !== 204 && status !== 304;
    const length = headers.get("content-length");
    return {
      status,
      headers,
      length: !hasBody
        ? 0
        : /chunked/i.test(headers.get("transfer-encoding") ?? "")
          ? ("chunked" as const)
          : length === null
            ? ("until the end" as const)
            : Number(length),
    };
  }

  #whole(length: number): [Buffer | null, number] {
    return [this.#rest.length < length ? null : this.#rest.subarray(0, length), length];
  }

  #unchunked(): [Buffer | null, number] {
    const parts: Buffer[] = [];
    for (let at = 0; ; ) {
      const lineEnd = this.#rest.indexOf("\r\n", at);
      if (lineEnd < 0) return [null, 0];
      const size = Number.parseInt(this.#rest.toString("latin1", at, lineEnd), 16);
      const next = lineEnd + 2 + size + 2;
      if (Number.isNaN(size)) throw new Error("a chunk without a size");
      if (this.#rest.length < next) return [null, 0];
      if (size === 0) return [Buffer.concat(parts), next];
      parts.push(this.#rest.subarray(lineEnd + 2, lineEnd + 2 + size));
      at = next;
    }
  }
}
