import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { ADMIN_SECRET } from "@/tests/support/database";
import type { RunningServer } from "@/tests/support/server";
import { type LoadResult, runOpenLoop } from "./load";
import { residentMb } from "./memory";
import { quantile } from "./quantile";
import { startBareStreamServer } from "./reference-servers";
import { type BenchService, ingestScan, makeKeys, startBenchService } from "./service";

/** Numbers of requests open at the same time; REACH_OPEN replaces them, such as `1000`. */
const SIZES = (process.env.REACH_OPEN ?? "1000,10000").split(",").map(Number);
const COMMITS = 8;
const OPENED_TOGETHER = 100;
const SCAN_SECONDS = 8;
const SCANS_PER_SECOND = 500;

/** A set of open requests that records when each last got a signal. */
interface Open {
  /** Milliseconds from `sinceMs` to the newest signal of each request that got one since. */
  toldAfter(sinceMs: number): number[];
  close(): void;
}

/**
 * Measures the time from the request that commits a signal to each client, with N open streams, then N long polls on one
 * process, each with its own key, and the same on a bare `node:http` server. Also measures ordinary polls meanwhile.
 * Server, database and clients share the machine.
 */
export async function benchDeliveryDelay(): Promise<string[]> {
  const lines: string[] = [];
  for (const n of SIZES) {
    const service = await startBenchService();
    try {
      await ingestScan(service.server, ADMIN_SECRET);
      const keys = await makeKeys(service.sql, n, "pro");
      const pollers = await makeKeys(service.sql, 1_000, "pro");
      const alone = await scanLoad(service, pollers);
      lines.push(`${String(n).padStart(6)} nothing  scan alone: ${sayScan(alone)}`);
      const scanBody = await fetch(`${service.server.url}/api/scan`, {
        headers: { "X-API-Key": keys[0] ?? "" },
      });
      const floor = await startBareStreamServer(await scanBody.text());
      for (const [name, open] of [
        ["streams", openStreams],
        ["waits", openWaits],
      ] as const) {
        lines.push(sayTold(`${n} ${name} floor`, await tell(floor, () => open(floor.url, keys), n)));
        const beside = () => scanLoad(service, pollers);
        const { scan, ...told } = await tell(service.server, () => open(service.server.url, keys), n, beside);
        const times = (scan.p99Ms / alone.p99Ms).toFixed(2);
        lines.push(`${sayTold(`${n} ${name}`, told)}   scan meanwhile: ${sayScan(scan)}, ${times} times`);
      }
      await floor.stop();
    } finally {
      await service.stop();
    }
  }
  return lines;
}

const scanLoad = ({ server }: BenchService, keys: string[]) =>
  runOpenLoop({ url: `${server.url}/api/scan`, perSecond: SCANS_PER_SECOND, seconds: SCAN_SECONDS, keys });

const sayScan = ({ requestsPerSecond, p50Ms, p99Ms, errors }: LoadResult) =>
  `${requestsPerSecond}/s p50 ${p50Ms.toFixed(1)} p99 ${p99Ms.toFixed(1)} ms, errors ${errors}`;

interface Told {
  /** For each commit, the delays in milliseconds of the clients that got its signal. */
  delaysMs: number[][];
  missed: number;
  eachKb: number;
}

/** Address and process id of the measured server. */
type Target = Pick<RunningServer, "url" | "pid">;

/** Opens the requests, commits several signals, and runs `beside` while the requests are open. */
async function tell<R = undefined>(
  target: Target,
  open: () => Promise<Open>,
  n: number,
  beside: () => Promise<R> = async () => undefined as R,
): Promise<Told & { scan: R }> {
  const emptyMb = residentMb(target.pid);
  const opened = await open();
  await pause(2_000);
  const eachKb = (1024 * (residentMb(target.pid) - emptyMb)) / n;
  const delaysMs: number[][] = [];
  let missed = 0;
  for (let commit = 0; commit < COMMITS; commit++) {
    const sinceMs = await ingestOne(target, commit);
    const deadline = performance.now() + 20_000;
    while (opened.toldAfter(sinceMs).length < n && performance.now() < deadline) await pause(50);
    const told = opened.toldAfter(sinceMs);
    missed += n - told.length;
    delaysMs.push(told);
    // Gives the clients time to open their requests again.
    await pause(1_500 + n / 2);
  }
  const scan = await beside();
  opened.close();
  await pause(2_000);
  return { delaysMs, missed, eachKb, scan };
}

function sayTold(name: string, { delaysMs, missed, eachKb }: Told): string {
  const all = delaysMs.flat();
  const at = (share: number) => quantile(all, share).toFixed(0);
  const each = delaysMs.map((told) => quantile(told, 0.99).toFixed(0)).join(", ");
  return `${name.padStart(20)}  ingest to client (n=${all.length}): p50 ${at(0.5)} ms  p99 ${at(0.99)} ms (of each commit: ${each})  most ${at(1)} ms  missed ${missed}   ${eachKb.toFixed(1)} kB each`;
}

/** The time at which each client last got a signal. */
class Tellings {
  readonly #atMs: Float64Array;

  constructor(n: number) {
    this.#atMs = new Float64Array(n);
  }

  note(client: number): void {
    this.#atMs[client] = performance.now();
  }

  after(sinceMs: number): number[] {
    return [...this.#atMs].filter((ms) => ms > sinceMs).map((ms) => ms - sinceMs);
  }
}

async function openStreams(url: string, keys: string[]): Promise<Open> {
  const tellings = new Tellings(keys.length);
  const sockets = await inTurns(keys, (key, i) =>
    openConnection(url, (socket) => {
      socket.write(`GET /api/stream HTTP/1.1\r\nHost: bench\r\nX-API-Key: ${key}\r\n\r\n`);
      return (arrived) => {
        if (arrived.includes(SIGNAL_EVENT)) tellings.note(i);
      };
    }),
  );
  return opened(sockets, tellings);
}

const SIGNAL_EVENT = Buffer.from("event: signal");

/** Opens a connection for each key, on which a client long-polls again after each answer. */
async function openWaits(url: string, keys: string[]): Promise<Open> {
  const tellings = new Tellings(keys.length);
  const sockets = await inTurns(keys, (key, i) =>
    openConnection(url, (socket) => waitAgainAndAgain(socket, key, () => tellings.note(i))),
  );
  return opened(sockets, tellings);
}

const opened = (sockets: Socket[], tellings: Tellings): Open => ({
  toldAfter: (sinceMs) => tellings.after(sinceMs),
  close: () => {
    for (const socket of sockets) socket.destroy();
  },
});

/** Handles received bytes, which are overwritten by the next call. */
type Reader = (arrived: Buffer) => void;

/** The receive buffer of all connections: each chunk is handled before the next one is read. */
const arriving = Buffer.allocUnsafe(64 * 1024);

/**
 * Opens a connection on which `begin` sends a request, and resolves at the first bytes of the answer. All connections
 * share one buffer and parse little, because ten thousand ordinary HTTP clients would dominate the measurement.
 */
function openConnection(url: string, begin: (socket: Socket) => Reader): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((done, fail) => {
    let read: Reader = () => undefined;
    const onread = {
      buffer: arriving,
      callback: (bytes: number) => {
        done(socket);
        read(arriving.subarray(0, bytes));
        return true;
      },
    };
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread }, () => {
      read = begin(socket);
    });
    socket.on("error", (error) => {
      fail(error);
      socket.destroy();
    });
  });
}

/** Number of bytes in which the status line and headers of an answer fit. */
const HEAD_BYTES = 2_048;
const ETAG = /^etag: (\S+)/im;
const LENGTH = /^content-length: (\d+)/im;

/** Requests the scan, then long-polls again and again. Calls `told` for each answer with a new ETag but the first. */
function waitAgainAndAgain(socket: Socket, key: string, told: () => void): Reader {
  const ask = (path: string, held: string) =>
    socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\nX-API-Key: ${key}\r\n${held}\r\n`, "latin1");
  /** Remaining bytes of the answer's body. */
  let left = 0;
  let held = "";
  ask("/api/scan", held);
  return (arrived) => {
    if (left > 0) {
      left -= arrived.length;
    } else {
      const head = arrived.toString("latin1", 0, HEAD_BYTES);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) throw new Error("the head of an answer was fragmented");
      const tag = ETAG.exec(head)?.[1] ?? "";
      const isNews = head.startsWith("HTTP/1.1 200 ") && tag !== held;
      if (isNews && held !== "") told();
      if (isNews) held = tag;
      left = Number(LENGTH.exec(head)?.[1] ?? 0) - (arrived.length - end - 4);
    }
    if (left <= 0) ask("/api/scan?wait=50", `If-None-Match: ${held}\r\n`);
  };
}

async function inTurns<T>(keys: string[], open: (key: string, i: number) => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let from = 0; from < keys.length; from += OPENED_TOGETHER)
    all.push(
      ...(await Promise.all(keys.slice(from, from + OPENED_TOGETHER).map((key, j) => open(key, from + j)))),
    );
  return all;
}

/** Ingests one signal. Returns the time before the request, so that the time to the commit is part of the measurement. */
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
