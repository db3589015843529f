import { Agent, request } from "node:http";
import { connect } from "node:net";
import type { Dice } from "@/tests/support/dice";
import type { HttpAnswer } from "@/tests/support/openapi-check";
import { type FuzzRequest, mutateBytes } from "./make-request";

/** Time for an answer: as long as an impatient client waits, or 30 s on a shared machine (FUZZ_PATIENT=1). */
export const ANSWER_TIMEOUT_MS = process.env.FUZZ_PATIENT === "1" ? 30_000 : 5_000;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export interface Answer extends HttpAnswer {
  /** Milliseconds to the end of the answer, to the first chunk of a file, or to the head of an event stream. */
  ms: number;
}

const FILES = /^(?:text\/csv|application\/x-ndjson)/;

/**
 * Sends a request over a kept-alive connection. Rejects if no answer arrives in time. Of an event stream only the status
 * and the headers are read.
 */
export function sendRequest(port: number, wanted: FuzzRequest): Promise<Answer> {
  const startedAt = performance.now();
  // A long poll may wait as long as requested.
  const patienceMs =
    ANSWER_TIMEOUT_MS + (/[?&]wait=0*([0-9]{1,2})(?:&|$)/.exec(wanted.target)?.[1] ? 60_000 : 0);
  return new Promise((done, fail) => {
    const length: Record<string, string> =
      wanted.body === null
        ? {}
        : wanted.chunked
          ? { "Transfer-Encoding": "chunked" }
          : { "Content-Length": String(wanted.body.length) };
    const sent = request(
      {
        agent,
        port,
        host: "127.0.0.1",
        method: wanted.method,
        path: wanted.target,
        headers: { ...wanted.headers, ...length },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        let firstMs: number | null = null;
        incoming.once("data", () => {
          firstMs = performance.now() - startedAt;
        });
        const isFile = FILES.test(incoming.headers["content-type"] ?? "");
        incoming.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          // A file is as long as its history: the timeout restarts with each chunk.
          if (isFile) timer.refresh();
        });
        incoming.on("error", fail);
        const headers = new Headers();
        for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
        const end = () => {
          clearTimeout(timer);
          const text = Buffer.concat(chunks).toString();
          const json: unknown =
            headers.get("content-type")?.startsWith("application/json") && text ? JSON.parse(text) : null;
          const endMs = performance.now() - startedAt;
          // The answer time of a file is the time of its first chunk.
          const ms = isFile ? (firstMs ?? endMs) : endMs;
          done({ status: incoming.statusCode ?? 0, headers, text, json, ms });
        };
        if (headers.get("content-type")?.startsWith("text/event-stream") && wanted.method !== "HEAD") {
          end();
          sent.destroy();
        } else incoming.on("end", end);
      },
    );
    const timer = setTimeout(() => {
      fail(new Error(`no answer within ${patienceMs} ms`));
      sent.destroy();
    }, patienceMs);
    // The server may refuse a body and close before reading all of it.
    sent.on("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      fail(error);
    });
    sent.end(wanted.body ?? undefined);
  });
}

/** Sends a request with one to four bytes changed, and half-closes. The status is null if the server closed without one. */
export function sendMangledRequest(
  port: number,
  wanted: FuzzRequest,
  dice: Dice,
): Promise<{ status: number | null; text: string }> {
  const body = wanted.body ?? Buffer.alloc(0);
  const fields = Object.entries({ Host: "x", ...wanted.headers, "Content-Length": String(body.length) });
  const head = `${wanted.method} ${wanted.target} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  const bytes = mutateBytes(Buffer.concat([Buffer.from(head), body]), dice);
  return new Promise((done, fail) => {
    const socket = connect(port, "127.0.0.1", () => socket.end(bytes));
    let text = "";
    const timer = setTimeout(() => {
      fail(
        new Error(
          `no end within ${ANSWER_TIMEOUT_MS} ms after ${JSON.stringify(bytes.toString("latin1").slice(0, 2_000))}`,
        ),
      );
      socket.destroy();
    }, ANSWER_TIMEOUT_MS);
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    // A server that refuses early closes with bytes unread.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      const status = /^HTTP\/1\.1 ([0-9]{3}) /.exec(text)?.[1];
      done({ status: status ? Number(status) : null, text });
    });
  });
}

/** Sends a request's head and the beginning of a body, then disconnects after 3 ms. */
export function sendHalfRequest(port: number, wanted: FuzzRequest): Promise<void> {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1", () => {
      const key = wanted.headers["X-API-Key"] ? `X-API-Key: ${wanted.headers["X-API-Key"]}\r\n` : "";
      socket.write(
        `${wanted.method} ${wanted.target} HTTP/1.1\r\nHost: x\r\n${key}Content-Length: 1000\r\n\r\n{"ticket":`,
      );
      setTimeout(() => socket.destroy(), 3);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => done());
  });
}

export function closeConnections(): void {
  agent.destroy();
}
