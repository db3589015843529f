import { createHash } from "node:crypto";
import { fstatSync, statSync } from "node:fs";
import { BroadcastChannel, isMainThread } from "node:worker_threads";
import pino from "pino";
import SonicBoom from "sonic-boom";
import { env } from "./env";
import { processWide } from "./process-wide";

/**
 * The allowed fields of a log line. All others are dropped, so that spreading an object into a line cannot log an
 * address, a key or a body.
 */
const ALLOWED = [
  "requestId",
  "method",
  "route",
  "status",
  "ms",
  "code",
  "subscriptionId",
  "network",
  "reader",
  "keyId",
  "invoiceId",
  "deliveryId",
  "mailId",
  "messageId",
  "endpointId",
  "kind",
  "job",
  "slot",
  "count",
  "attempt",
  "port",
  "action",
  "reason",
  "email",
  "error",
  "component",
  "seconds",
] as const;

export type LogFields = Partial<
  Record<(typeof ALLOWED)[number], string | number | boolean | null | undefined | ErrorFacts>
>;

/**
 * Maximum characters that wait in memory in production while the disk is full or the log's consumer is slow. Further
 * lines are lost.
 */
const MAX_WAITING_CHARACTERS = 4_194_304;
/** Largest write that a pipe keeps in one piece, so that several processes can write whole lines into it. */
const PIPE_BYTES = 4_096;
/** Size of a batch of lines for a file. Unlike a pipe, a file keeps a write of any size in one piece. */
const FILE_BYTES = 16_384;
/** Characters reserved for one more line, so that a batch stays below the largest write. */
const LINE_CHARACTERS = 512;

type Level = "debug" | "info" | "warn" | "error";

interface Log {
  out: pino.Logger;
  lines: SonicBoom;
}

/**
 * Directs the log to this file descriptor instead of standard output, unless LOG_FILE is set. Call it before the first
 * line.
 */
export const writeLogTo = (descriptor: number): void => void openLog(descriptor);

const STANDARD_OUTPUT = 1;

function openLog(descriptor = STANDARD_OUTPUT): Log {
  return processWide("log", () => {
    const { logFile, logLevel, production } = env();
    const bytes = isFile(logFile ?? descriptor) ? FILE_BYTES : PIPE_BYTES;
    // In production lines are written in batches: at the latest every second, and at exit.
    const lines = new SonicBoom({
      ...(logFile === null ? { fd: descriptor } : { dest: logFile }),
      ...(production
        ? {
            sync: false,
            maxWrite: bytes,
            minLength: bytes - LINE_CHARACTERS,
            periodicFlush: 1_000,
            maxLength: MAX_WAITING_CHARACTERS,
          }
        : { sync: true }),
    });
    // On a full disk the process keeps running, and lines wait. A final flush would retry forever on a full disk, and
    // throws before the file is open, so it is skipped in both cases.
    let canFlush = logFile === null;
    lines.once("ready", () => {
      canFlush = true;
    });
    let hasReader = true;
    lines.on("error", (error: NodeJS.ErrnoException) => {
      canFlush = false;
      if (error.code === "EPIPE") hasReader = false;
    });
    process.on("exit", () => {
      if (production && canFlush) lines.flushSync();
    });
    if (logFile !== null) reopenOnHangup(() => lines.reopen());
    const out = pino(
      {
        level: logLevel,
        base: undefined,
        timestamp: timeOfLine,
        formatters: { level: (label) => ({ level: label }) },
      },
      { write: (line) => void (hasReader && lines.write(line)) },
    );
    return { out, lines };
  });
}

/** Whether lines go to a regular file: standard output may be one, and a path may name a pipe. */
function isFile(at: string | number): boolean {
  const found = typeof at === "number" ? fstatSync(at) : statSync(at, { throwIfNoEntry: false });
  return found?.isFile() ?? true;
}

/**
 * Reopens the log file on SIGHUP, after log rotation. Only the process receives the signal, so it notifies its
 * threads, which write to the file directly.
 */
function reopenOnHangup(reopen: () => void): void {
  const channel = new BroadcastChannel("log-file");
  channel.unref();
  channel.onmessage = reopen;
  if (!isMainThread) return;
  process.on("SIGHUP", () => {
    reopen();
    channel.postMessage("reopen");
  });
}

let lineMs = 0;
let lineTime = "";

/** The time of a log line as the JSON fragment that pino expects, formatted once per millisecond. */
function timeOfLine(): string {
  const nowMs = Date.now();
  if (nowMs !== lineMs) {
    lineMs = nowMs;
    lineTime = `,"time":"${new Date(nowMs).toISOString()}"`;
  }
  return lineTime;
}

/** Writes one JSON line if its level is enabled. `message` is a constant of the source, never built from data. */
export function log(level: Level, message: string, fields: LogFields = {}): void {
  const { out } = openLog();
  if (!out.isLevelEnabled(level)) return;
  const line: Record<string, unknown> = {};
  for (const name of ALLOWED) {
    if (fields[name] !== undefined) line[name] = fields[name];
  }
  out[level](line, message);
}

/** Writes the buffered lines. Call it before the process ends. */
export async function flushLog(): Promise<void> {
  await new Promise<void>((done) => openLog().lines.flush(() => done()));
}

export interface ErrorFacts {
  name: string;
  code?: string;
  constraint?: string;
  /** The file or folder of a failed system call. */
  path?: string;
  stack?: string[];
}

/**
 * The loggable facts of an unexpected error and its cause: class, code, violated constraint, file and source locations. The
 * message is left out, because messages of the database, parsers and mail providers quote the data that caused them.
 */
export function errorFacts(error: unknown): ErrorFacts {
  if (!(error instanceof Error)) return { name: typeof error };
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const fields = { ...pickText(cause), ...pickText(error) };
  const frames = [...framesOf(cause), ...framesOf(error)];
  const own = frames.filter((line) => !/node_modules|\(node:/.test(line));
  const stack = (own.length > 0 ? own : frames).slice(0, 8).map((line) => line.trim());
  return { name: cause ? `${error.name} < ${cause.name}` : error.name, ...fields, stack };
}

/**
 * The lines of a stack trace that name a source location. The error message, which comes first, is cut off, because it
 * may contain a line that looks like a location.
 */
function framesOf(error: Error | undefined): string[] {
  const stack = error?.stack ?? "";
  const messageAt = error?.message ? stack.indexOf(error.message) : -1;
  const places = messageAt < 0 ? stack : stack.slice(messageAt + (error?.message.length ?? 0));
  return places.split("\n").filter((line) => /^\s+at /.test(line));
}

function pickText(error: Error | undefined): { code?: string; constraint?: string; path?: string } {
  const found: { code?: string; constraint?: string; path?: string } = {};
  if (!error) return found;
  if ("code" in error && typeof error.code === "string") found.code = error.code;
  if ("path" in error && "syscall" in error && typeof error.path === "string") found.path = error.path;
  if ("constraint_name" in error && typeof error.constraint_name === "string")
    found.constraint = error.constraint_name;
  return found;
}

/** The only loggable form of a mail address: `email#` and four hexadecimal digits. */
export function emailTag(emailNormalized: string): string {
  return `email#${shortEmailHash(emailNormalized)}`;
}

/** The first four hexadecimal digits of the SHA-256 of the normalised address. */
export function shortEmailHash(emailNormalized: string): string {
  return createHash("sha256").update(emailNormalized).digest("hex").slice(0, 4);
}
