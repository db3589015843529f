/** Follows signals over the long poll or the stream, and reconnects automatically. */

import type { components } from "./schema";

type Schemas = components["schemas"];

/** An event of the stream. `seq` is the number of the signal, or of the last one in a gap. */
export type SignalEvent =
  | { event: "signal"; seq: number; data: Schemas["StreamedSignal"] }
  | { event: "gap"; seq: number; data: Schemas["StreamGap"] }
  | { event: "model"; data: Schemas["StreamedModel"] }
  | { event: "status"; data: Schemas["StreamedStatus"] };

export interface FollowOptions {
  baseUrl: string;
  apiKey: string;
  /** Stops following. */
  signal?: AbortSignal;
  /** Replaces fetch. The signal in `init` aborts the request. */
  fetch?: (request: Request, init: { signal: AbortSignal }) => Promise<Response>;
}

/** Thrown if the key has ended or the service refuses the request, so that retrying does not help. */
export class FollowError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
  ) {
    super(`${status} ${code}: ${detail}`);
    this.name = "FollowError";
  }
}

/**
 * What the subscriber paused in the portal: slots such as `EURUSD/H1`, or `all`, each with the time at which its pause
 * started.
 */
export type Pauses = Readonly<Record<string, string>>;

/** Reads the subscriber's pauses from the headers of an answer of `/api/scan`, including a 304. */
export function readPauses(headers: Headers): Pauses {
  const parts = (headers.get("X-Signals-Paused") ?? "")
    .split(",")
    .map((part) => part.trim().split(";since="));
  return Object.fromEntries(parts.flatMap(([target = "", since = ""]) => (target ? [[target, since]] : [])));
}

/**
 * Whether the subscriber paused a slot. A trading client then opens no position in it, but still closes and reports
 * positions.
 */
export const isPaused = (
  pauses: Pauses,
  { symbol, timeframe }: { symbol: string; timeframe: string },
): boolean => pauses.all !== undefined || pauses[`${symbol}/${timeframe}`] !== undefined;

const LONGEST_PAUSE_MS = 30_000;
/** Time in ms without data after which a stream counts as broken. The service sends a comment every 15 seconds. */
const SILENCE_MS = 45_000;

/**
 * The events of the stream after the number `after` (default: only new ones). A broken connection is opened again after
 * the last received number: no signal is repeated, and missed ones are replayed or reported as a gap. The stream does
 * not contain the subscriber's pauses: read them from `/api/scan` before you open a position. Throws FollowError when
 * the key has ended or the service refuses the request.
 */
export async function* followStream(
  options: FollowOptions,
  after?: number,
): AsyncGenerator<SignalEvent, void, undefined> {
  let place = after;
  for (let failures = 0; !options.signal?.aborted; ) {
    const alive = new AbortController();
    const dies = () => alive.abort();
    options.signal?.addEventListener("abort", dies, { once: true });
    let pauseMs = pauseAfter(++failures);
    try {
      const headers: Record<string, string> = place === undefined ? {} : { "Last-Event-ID": String(place) };
      const response = await send(options, "/api/stream", headers, alive.signal);
      if (response.status === 200 && response.body) {
        place ??= Number(response.headers.get("Signal-Seq"));
        for await (const { id, event, data } of eventsOf(response.body, alive)) {
          failures = 0;
          pauseMs = pauseAfter(1);
          if (id !== null) place = id;
          if (data === null) continue;
          const value = JSON.parse(data);
          if (event === "end") throw new FollowError(401, value.code, value.detail);
          // The OpenAPI document defines the data of each event.
          if (isKnown(event)) yield { event, seq: id ?? place, data: value } as SignalEvent;
        }
      } else pauseMs = await pauseFor(response, pauseMs);
    } catch (error) {
      if (error instanceof FollowError) throw error;
    } finally {
      options.signal?.removeEventListener("abort", dies);
      alive.abort();
    }
    await sleep(pauseMs, options.signal);
  }
}

/**
 * The newest signal of each slot and the subscriber's pauses, at once and after each change, by long polling: for
 * networks that break long connections. A changed pause arrives with the next signal or at the end of the wait. Throws
 * FollowError when the key has ended or the service refuses the request.
 */
export async function* followScan(
  options: FollowOptions,
  { waitSeconds = 25 } = {},
): AsyncGenerator<Schemas["Scan"] & { paused: Pauses }, void, undefined> {
  let tag: string | null = null;
  let scan: Schemas["Scan"] | null = null;
  let header: string | null = null;
  for (let failures = 0; !options.signal?.aborted; ) {
    let pauseMs = pauseAfter(++failures);
    // Not AbortSignal.any, which leaks memory on a long-lived signal in Node 20.
    const until = new AbortController();
    const end = () => until.abort();
    const limit = setTimeout(end, (waitSeconds + 15) * 1000);
    options.signal?.addEventListener("abort", end, { once: true });
    try {
      const headers: Record<string, string> = tag === null ? {} : { "If-None-Match": tag };
      const response = await send(options, `/api/scan?wait=${waitSeconds}`, headers, until.signal);
      if (response.status === 200 || response.status === 304) {
        failures = 0;
        const before: string | null = header;
        header = response.headers.get("X-Signals-Paused");
        const isNew = response.status === 200;
        if (isNew) {
          scan = await response.json();
          tag = response.headers.get("ETag");
        }
        if (scan !== null && (isNew || header !== before))
          yield { ...scan, paused: readPauses(response.headers) };
        continue;
      }
      pauseMs = await pauseFor(response, pauseMs);
    } catch (error) {
      if (error instanceof FollowError) throw error;
    } finally {
      clearTimeout(limit);
      options.signal?.removeEventListener("abort", end);
    }
    await sleep(pauseMs, options.signal);
  }
}

function send(
  { baseUrl, apiKey, fetch: sendRequest = fetch }: FollowOptions,
  path: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Response> {
  const all = { "X-API-Key": apiKey, ...headers };
  // The signal is passed separately from the request: Node loses a signal inside a request once the request is
  // garbage-collected (nodejs/node#55428).
  return sendRequest(new Request(baseUrl.replace(/\/+$/, "") + path, { headers: all, signal }), { signal });
}

/**
 * The pause in ms before the next attempt. Throws FollowError if the status is neither 429 nor 5xx, because retrying
 * does not help.
 */
async function pauseFor(response: Response, pauseMs: number): Promise<number> {
  const text = await response.text();
  if (response.status === 429 || response.status >= 500) {
    const seconds = Number(response.headers.get("Retry-After"));
    return seconds > 0 ? seconds * 1000 : pauseMs;
  }
  const { code = "unknown", detail = "" } = text.startsWith("{") ? JSON.parse(text) : {};
  throw new FollowError(response.status, code, detail);
}

/** Full jitter: clients that lost their connections together must not return together. */
const pauseAfter = (failures: number) => Math.random() * Math.min(LONGEST_PAUSE_MS, 500 * 2 ** failures);

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(finish, ms);
    function finish() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      done();
    }
    signal?.addEventListener("abort", finish, { once: true });
    if (signal?.aborted) finish();
  });
}

const isKnown = (event: string) => ["signal", "gap", "model", "status"].includes(event);

interface Block {
  id: number | null;
  event: string;
  data: string | null;
}

/** The blocks of a stream, until the stream ends or is silent for SILENCE_MS. */
async function* eventsOf(body: ReadableStream<Uint8Array>, alive: AbortController): AsyncGenerator<Block> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  const end = () => void reader.cancel().catch(() => undefined);
  alive.signal.addEventListener("abort", end, { once: true });
  try {
    for (;;) {
      const timer = setTimeout(() => alive.abort(), SILENCE_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) yield parseBlock(block);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parseBlock(block: string): Block {
  const fields = new Map(
    block.split("\n").map((line): [string, string] => {
      const at = line.indexOf(":");
      return [line.slice(0, Math.max(at, 0)), line.slice(at + 1).trimStart()];
    }),
  );
  const id = fields.get("id");
  return {
    id: id === undefined ? null : Number(id),
    event: fields.get("event") ?? "message",
    data: fields.get("data") ?? null,
  };
}
