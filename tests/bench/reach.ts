import { readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { ADMIN_SECRET } from "@/tests/support/database";
import type { RunningServer } from "@/tests/support/server";
import { startHoldingFloor } from "./floors";
import { type LoadResult, loadOnSchedule } from "./load";
import { quantile } from "./quantile";
import { type BenchService, ingestScan, makeKeys, startBenchService } from "./service";

/** Open requests at once; REACH_OPEN names others, such as `1000`. */
const SIZES = (process.env.REACH_OPEN ?? "1000,10000").split(",").map(Number);
const COMMITS = 8;
const OPENED_TOGETHER = 100;
const SCAN_SECONDS = 8;
const SCANS_PER_SECOND = 500;

/** Requests that stay open, and when each of them was last told something. */
interface Open {
  /** Milliseconds from `sinceMs` to the news, of those that have it. */
  toldAfter(sinceMs: number): number[];
  close(): void;
}

/**
 * From the request that commits a signal to the client: N open streams, then N waiting scans, each of a key of its own, on one
 * process, and the same with a bare `node:http`. Server, database and clients share the machine. While they wait, ordinary
 * polls are measured.
 */
export async function benchReach(): Promise<string[]> {
  const lines: string[] = [];
  for (const n of SIZES) {
    const service = await startBenchService({ OPEN_REQUESTS: "20000" });
    try {
      await ingestScan(service.server, ADMIN_SECRET);
      const keys = await makeKeys(service.sql, n, "pro");
      const pollers = await makeKeys(service.sql, 1_000, "pro");
      const alone = await scanLoad(service, pollers);
      lines.push(`${String(n).padStart(6)} nothing  scan alone: ${sayScan(alone)}`);
      const scanBody = await fetch(`${service.server.url}/api/scan`, {
        headers: { "X-API-Key": keys[0] ?? "" },
      });
      const floor = await startHoldingFloor(await scanBody.text());
      for (const [name, open] of [
        ["streams", openStreams],
        ["waits", openWaits],
      ] as const) {
        lines.push(sayTold(`${n} ${name} floor`, await tell(floor, () => open(floor.url, keys), n)));
        const beside = () => scanLoad(service, pollers);
        const { scan, ...told } = await tell(service.server, () => open(service.server.url, keys), n, beside);
        const times = (scan.p99Ms / alone.p99Ms).toFixed(2);
        lines.push(`${sayTold(`${n} ${name}`, told)}   scan beside: ${sayScan(scan)}, ${times} times`);
      }
      await floor.stop();
    } finally {
      await service.stop();
    }
  }
  return lines;
}

const scanLoad = ({ server }: BenchService, keys: string[]) =>
  loadOnSchedule({ url: `${server.url}/api/scan`, perSecond: SCANS_PER_SECOND, seconds: SCAN_SECONDS, keys });

const sayScan = ({ requestsPerSecond, p50Ms, p99Ms, errors }: LoadResult) =>
  `${requestsPerSecond}/s p50 ${p50Ms.toFixed(1)} p99 ${p99Ms.toFixed(1)} ms, errors ${errors}`;

interface Told {
  delaysMs: number[];
  missed: number;
  eachKb: number;
}

/** What may be told things: an address and the process behind it. */
type Target = Pick<RunningServer, "url" | "pid">;

/** Opens, tells all several times, and does what is given while they are open. */
async function tell<R = undefined>(
  target: Target,
  open: () => Promise<Open>,
  n: number,
  beside: () => Promise<R> = async () => undefined as R,
): Promise<Told & { scan: R }> {
  const emptyKb = memoryKb(target.pid);
  const opened = await open();
  await pause(2_000);
  const eachKb = (memoryKb(target.pid) - emptyKb) / n;
  const delaysMs: number[] = [];
  let missed = 0;
  for (let commit = 0; commit < COMMITS; commit++) {
    const sinceMs = await ingestOne(target, commit);
    const deadline = performance.now() + 20_000;
    while (opened.toldAfter(sinceMs).length < n && performance.now() < deadline) await pause(50);
    const told = opened.toldAfter(sinceMs);
    missed += n - told.length;
    delaysMs.push(...told);
    // Until all of them wait again.
    await pause(1_500 + n / 2);
  }
  const scan = await beside();
  opened.close();
  await pause(2_000);
  return { delaysMs, missed, eachKb, scan };
}

function sayTold(name: string, { delaysMs, missed, eachKb }: Told): string {
  const at = (share: number) => quantile(delaysMs, share).toFixed(0);
  return `${name.padStart(20)}  ingest to client (n=${delaysMs.length}): p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  most ${at(1)} ms  missed ${missed}   ${eachKb.toFixed(1)} kB each`;
}

async function openStreams(url: string, keys: string[]): Promise<Open> {
  const toldMs = new Float64Array(keys.length);
  const responses = await inTurns(keys, (key, i) =>
    request(`${url}/api/stream`, { "X-API-Key": key }).then((response) => {
      response.on("data", (chunk: Buffer) => {
        if (chunk.includes("event: signal")) toldMs[i] = performance.now();
      });
      return response;
    }),
  );
  return {
    toldAfter: (sinceMs) => [...toldMs].filter((ms) => ms > sinceMs).map((ms) => ms - sinceMs),
    close: () => {
      for (const response of responses) response.destroy();
    },
  };
}

async function openWaits(url: string, keys: string[]): Promise<Open> {
  const toldMs = new Float64Array(keys.length);
  const clients = await inTurns(keys, (key, i) => Waiter.connect(url, key, (ms) => (toldMs[i] = ms)));
  return {
    toldAfter: (sinceMs) => [...toldMs].filter((ms) => ms > sinceMs).map((ms) => ms - sinceMs),
    close: () => {
      for (const client of clients) client.close();
    },
  };
}

/**
 * A client that waits, is told, and waits again, on one connection. It reads no more of an answer than it needs: ten
 * thousand of Node's own clients would be what is measured.
 */
class Waiter {
  #tag = "";
  /** Bytes of the answer's body that are still to come. */
  #left = 0;
  #head = "";

  private constructor(
    private readonly socket: Socket,
    private readonly key: string,
    private readonly told: (ms: number) => void,
  ) {
    socket.setNoDelay(true);
    socket.on("data", (chunk) => this.#read(chunk.toString("latin1")));
    socket.on("error", () => socket.destroy());
  }

  /** Resolves when it holds the scan and waits for the next. */
  static connect(url: string, key: string, told: (ms: number) => void): Promise<Waiter> {
    const { hostname, port } = new URL(url);
    return new Promise((done, fail) => {
      let waits = false;
      const socket = connect({ host: hostname, port: Number(port) }, () => waiter.#ask("/api/scan"));
      const waiter = new Waiter(socket, key, (ms) => {
        if (waits) told(ms);
        else done(waiter);
        waits = true;
      });
      socket.once("error", fail);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  #ask(path: string): void {
    const held = this.#tag === "" ? "" : `If-None-Match: ${this.#tag}\r\n`;
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\nX-API-Key: ${this.key}\r\n${held}\r\n`);
  }

  #read(text: string): void {
    if (this.#left > 0) {
      this.#left -= text.length;
    } else {
      this.#head += text;
      const end = this.#head.indexOf("\r\n\r\n");
      if (end < 0) return;
      const head = this.#head.slice(0, end);
      this.#left = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0) - (this.#head.length - end - 4);
      this.#head = "";
      const tag = /^etag: (.+)$/im.exec(head)?.[1]?.trim();
      if (head.startsWith("HTTP/1.1 200 ") && tag !== this.#tag) this.told(performance.now());
      this.#tag = tag ?? this.#tag;
    }
    if (this.#left <= 0) this.#ask("/api/scan?wait=50");
  }
}

function request(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((done, fail) => {
    get(url, { headers, agent: false }, done).on("error", fail);
  });
}

async function inTurns<T>(keys: string[], open: (key: string, i: number) => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let from = 0; from < keys.length; from += OPENED_TOGETHER)
    all.push(
      ...(await Promise.all(keys.slice(from, from + OPENED_TOGETHER).map((key, j) => open(key, from + j)))),
    );
  return all;
}

/** Ingests one signal. Returns when its request was sent: the way to the commit is part of what is measured. */
async function ingestOne({ url }: Target, n: number): Promise<number> {
  const figures = { confidence: 0.6, prob_buy: 0.6, prob_sell: 0.2, prob_no: 0.2, expected_rr: 1.5 };
  const ts = new Date(Math.floor(Date.now() / 3_600_000 - 1) * 3_600_000).toISOString();
  const model_v = `reach-${n}-${Date.now()}`;
  const item = { symbol: "EURUSD", timeframe: "H1", ts, signal: "BUY", model_v, regime: "RANGE", ...figures };
  const sentMs = performance.now();
  const answer = await fetch(`${url}/admin/ingest/signals`, {
    method: "POST",
    headers: { "X-Admin-Secret": ADMIN_SECRET },
    body: JSON.stringify({ items: [item] }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  await answer.arrayBuffer();
  return sentMs;
}

function memoryKb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
}
