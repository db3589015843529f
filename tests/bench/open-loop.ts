/**
 * The open-loop load generator, which `bench/load.ts` starts as a separate process so that other work does not delay it.
 * Reads an OpenLoopTask from standard input and writes an OpenLoopResult to standard output, both as JSON.
 */
import { connect, type Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import type { OpenLoopResult, OpenLoopTask } from "./load";
import { quantile } from "./quantile";

const CONNECTIONS = 64;
const HEAD_END = Buffer.from("\r\n\r\n");

/** A kept-alive connection that pipelines: a request is sent without waiting for the answers to earlier ones. */
class Line {
  #dueMs: number[] = [];
  #head: Buffer | null = null;
  /** Remaining bytes of the answer's body. */
  #left = 0;

  private constructor(
    private readonly socket: Socket,
    private readonly told: (ms: number, ok: boolean) => void,
  ) {
    socket.setNoDelay(true);
    socket.on("data", (chunk) => this.#read(chunk));
    socket.on("close", () => {
      for (const due of this.#dueMs) this.told(performance.now() - due, false);
      this.#dueMs = [];
    });
    socket.on("error", () => socket.destroy());
  }

  static open(url: URL, told: (ms: number, ok: boolean) => void): Promise<Line> {
    return new Promise((done, fail) => {
      const socket = connect({ host: url.hostname, port: Number(url.port) }, () =>
        done(new Line(socket, told)),
      );
      socket.once("error", fail);
    });
  }

  get waiting(): number {
    return this.#dueMs.length;
  }

  send(request: string, dueMs: number): void {
    this.#dueMs.push(dueMs);
    if (this.socket.destroyed) this.#end(false);
    else this.socket.write(request, "latin1");
  }

  close(): void {
    this.socket.destroy();
  }

  #read(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, rest.length);
        this.#left -= taken;
        rest = rest.subarray(taken);
        if (this.#left === 0) this.#end(true);
        continue;
      }
      const known = this.#head === null ? rest : Buffer.concat([this.#head, rest]);
      const end = known.indexOf(HEAD_END);
      if (end < 0) {
        this.#head = known;
        return;
      }
      this.#head = null;
      const head = known.toString("latin1", 0, end);
      rest = known.subarray(end + HEAD_END.length);
      this.#left = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      // Any answer but a 200 with a body closes the connection, and all its pending requests count as failed.
      if (!head.startsWith("HTTP/1.1 200 ") || this.#left === 0) this.socket.destroy();
    }
  }

  #end(ok: boolean): void {
    const due = this.#dueMs.shift();
    if (due !== undefined) this.told(performance.now() - due, ok);
  }
}

async function run({
  url,
  keys,
  seconds,
  perSecond,
  connections = CONNECTIONS,
}: OpenLoopTask): Promise<OpenLoopResult> {
  const target = new URL(url);
  const times: number[] = [];
  let failed = 0;
  const told = (ms: number, ok: boolean) => {
    times.push(ms);
    if (!ok) failed++;
  };
  const lines = await Promise.all(Array.from({ length: connections }, () => Line.open(target, told)));
  const requests = keys.map(
    (key) => `GET ${target.pathname} HTTP/1.1\r\nHost: ${target.host}\r\nX-API-Key: ${key}\r\n\r\n`,
  );
  const total = perSecond * seconds;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const startedMs = performance.now();
  for (let n = 0; n < total; ) {
    const due = Math.min(total, Math.ceil(((performance.now() - startedMs) * perSecond) / 1_000));
    for (; n < due; n++)
      lines[n % lines.length]?.send(requests[n % requests.length] ?? "", startedMs + (1_000 * n) / perSecond);
    await pause(1);
  }
  while (lines.some(({ waiting }) => waiting > 0)) await pause(5);
  delay.disable();
  for (const line of lines) line.close();
  return {
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    errors: failed,
    lateP99Ms: Math.max(0, delay.percentile(99) / 1e6 - 5),
  };
}

const task: OpenLoopTask = JSON.parse(await text(process.stdin));
process.stdout.write(JSON.stringify(await run(task)));
