import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@/db/client";
import { isFileRead, recordFeedState, recordFileRead } from "@/db/queries/feeds";
import { listSymbols, slotKey } from "@/db/queries/slots";
import { brokerServerClock, type WallClock } from "@/lib/market/clock";
import { matchBrokerSymbol } from "@/lib/market/symbols";
import { errorFacts, log } from "@/lib/runtime/log";
import { FileProblem, readRows, type UploadedRow } from "@/lib/signals/ingest/read-rows";
import { MINUTE_MS, SECOND_MS } from "@/lib/time";
import { CandleItemWithTimeframe } from "@/lib/wire/contracts/ingest";
import type { SourceCandle } from "./source";
import { storeFeedCandles } from "./store-feed-candles";

const LOOK_EVERY_MS = 2 * SECOND_MS;
/** A file that has changed within this time may be incomplete. */
const QUIET_MS = 2 * SECOND_MS;
/** A file without a final line break is read after this long without a change. */
const UNFINISHED_MS = MINUTE_MS;
const CHUNK = 5_000;
const WANTED = /^[^.].*\.(csv|ndjson|jsonl)(\.gz)?$/i;

export interface WatchOptions {
  name: string;
  path: string;
  /** The broker's server clock, as named in MARKET_FEED; null: MetaTrader exports cannot be read. */
  clock: string | null;
  leads(slotKey: string): Promise<boolean>;
}

/** State of a file at the last check. `isDone`: it needs no further check until it changes. */
interface Look {
  size: number;
  changedMs: number;
  isDone: boolean;
}

/**
 * Reads the candle files of a folder as they arrive, until the signal aborts. A file is read as soon as it has not
 * changed for two seconds and ends with a line break (not needed for .gz), or has not changed for a minute. Files are
 * remembered by the hash of their content, so they may be appended to, copied again or left in place.
 */
export async function watchFolder(
  database: Database,
  options: WatchOptions,
  signal: AbortSignal,
): Promise<void> {
  const looks = new Map<string, Look>();
  while (!signal.aborted) {
    await look(database, options, looks, signal);
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function look(
  database: Database,
  options: WatchOptions,
  looks: Map<string, Look>,
  signal: AbortSignal,
): Promise<void> {
  let names: string[];
  try {
    names = (await readdir(options.path)).filter((name) => WANTED.test(name)).sort();
  } catch {
    await recordFeedState(database, {
      name: options.name,
      state: "refused",
      error: "This folder cannot be read.",
    });
    return;
  }
  for (const name of looks.keys()) if (!names.includes(name)) looks.delete(name);
  await recordFeedState(database, { name: options.name, state: "ok" });
  for (const name of names) {
    if (signal.aborted) return;
    try {
      await lookAtFile(database, options, looks, name);
    } catch (error) {
      // The file is gone, or the database is down. The next check tries again.
      log("info", "a file of a feed was not read", { component: options.name, error: errorFacts(error) });
    }
  }
}

async function lookAtFile(
  database: Database,
  options: WatchOptions,
  looks: Map<string, Look>,
  name: string,
): Promise<void> {
  const path = join(options.path, name);
  const before = await lookOf(path);
  const known = looks.get(name);
  if (known?.isDone && isSame(known, before)) return;
  looks.set(name, before);
  if (!(await isFinished(path, before))) return;
  const hash = await hashOf(path);
  if (!(await isFileRead(database, options.name, hash))) {
    const read = await readFile(database, options, path, new Date(before.changedMs));
    if (!isSame(before, await lookOf(path))) return;
    await recordFileRead(database, { feed: options.name, hash, file: name, ...read });
  }
  looks.set(name, { ...before, isDone: true });
}

async function lookOf(path: string): Promise<Look> {
  const { size, mtimeMs } = await stat(path);
  return { size, changedMs: mtimeMs, isDone: false };
}

const isSame = (a: Look, b: Look) => a.size === b.size && a.changedMs === b.changedMs;

async function isFinished(path: string, { size, changedMs }: Look): Promise<boolean> {
  const quietMs = Date.now() - changedMs;
  if (size === 0 || quietMs < QUIET_MS) return false;
  if (quietMs >= UNFINISHED_MS || path.endsWith(".gz")) return true;
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, Math.max(0, size - 2));
    // A line break in UTF-16 contains the byte 10 too.
    return buffer.includes(10);
  } finally {
    await file.close();
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

interface FileResult {
  accepted: number;
  duplicates: number;
  error: string | null;
}

/** Stores the candles of a file. Invalid rows are skipped; `error` of the result names one of the problems. */
async function readFile(
  database: Database,
  options: WatchOptions,
  path: string,
  writtenAt: Date,
): Promise<FileResult> {
  const total: FileResult = { accepted: 0, duplicates: 0, error: null };
  const symbols = new Set((await listSymbols(database)).map(({ symbol }) => symbol));
  const clock: WallClock | null = options.clock === null ? null : brokerServerClock(options.clock);
  const batch = new Map<string, Batch>();
  let row = 0;
  try {
    for await (const sent of readRows(path, clock)) {
      row++;
      const problem = addRow(batch, sent, symbols);
      if (problem !== null) total.error ??= `row ${row}: ${problem}`;
      if (row % CHUNK === 0) await storeBatch(database, options, batch, writtenAt, total);
    }
  } catch (error) {
    if (isUnrelatedToContent(error)) throw error;
    total.error = error instanceof FileProblem ? error.message : `cannot be read after row ${row}`;
  }
  await storeBatch(database, options, batch, writtenAt, total);
  return total;
}

/**
 * Whether an error has another cause than the content of the file, such as the database. The file is then read again
 * later. Errors of the content carry a code of the file system, the decompressor or the CSV reader, or are errors of
 * JSON syntax. The code of a deleted file (ENOENT) is none of these.
 */
function isUnrelatedToContent(error: unknown): boolean {
  if (error instanceof FileProblem || error instanceof SyntaxError) return false;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return !/^(CSV_|Z_|EACCES|EISDIR|EIO|ERR_)/.test(code);
}

interface Batch {
  symbol: string;
  timeframe: CandleOfFile["timeframe"];
  candles: SourceCandle[];
}
type CandleOfFile = ReturnType<typeof CandleItemWithTimeframe.parse>;

/** Adds a row to the candles of its slot. Returns what is wrong with the row, or null. */
function addRow(batch: Map<string, Batch>, sent: UploadedRow, symbols: ReadonlySet<string>): string | null {
  const symbol = typeof sent.symbol === "string" ? matchBrokerSymbol(sent.symbol, symbols) : sent.symbol;
  const parsed = CandleItemWithTimeframe.safeParse({ ...sent, symbol });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return issue === undefined ? "is no candle" : `${issue.path.join(".")} ${issue.message}`;
  }
  const { timeframe, volume, symbol: code, ...prices } = parsed.data;
  const key = slotKey({ symbol: code, timeframe });
  const slot = batch.get(key) ?? { symbol: code, timeframe, candles: [] };
  slot.candles.push({ ...prices, volume: volume ?? null, isComplete: null });
  batch.set(key, slot);
  return null;
}

async function storeBatch(
  database: Database,
  options: WatchOptions,
  batch: Map<string, Batch>,
  writtenAt: Date,
  total: FileResult,
): Promise<void> {
  for (const [key, { symbol, timeframe, candles }] of batch) {
    const result = await storeFeedCandles(database, {
      feed: options.name,
      slot: { symbol, timeframe },
      candles,
      leads: await options.leads(key),
      // The time of writing shows whether the file's newest candle had closed.
      receivedAt: writtenAt,
    });
    total.accepted += result.stored;
    total.duplicates += result.duplicates;
    if (result.refusal !== null)
      total.error ??= `${key}: ${result.refused} candles left out: ${result.refusal}`;
  }
  batch.clear();
}
