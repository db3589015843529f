import { createHash } from "node:crypto";
import { fstatSync, statSync } from "node:fs";
import { BroadcastChannel, isMainThread } from "node:worker_threads";
import pino from "pino";
import SonicBoom from "sonic-boom";
import { env } from "./env";
import { processWide } from "./process-wide";

/**
 * The fields that a log line may hold. A field that is not named here is dropped, so that spreading an object into a
 * line cannot log an address, a key or a body.
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

/** Lines beyond it are lost while the disk is full or a reader does not read. */
const MAX_WAITING_CHARACTERS = 4_194_304;
/** As much as a pipe takes undivided, so that several processes can write whole lines into one. */
const PIPE_BYTES = 4_096;
/** A file takes any write undivided. */
const FILE_BYTES = 16_384;
/** Room for one more line before a batch is as long as a write may be. */
const LINE_CHARACTERS = 512;

type Level = "debug" | "info" | "warn" | "error";

interface Log {
  out: pino.Logger;
  lines: SonicBoom;
}

function openLog(): Log {
  return processWide("log", () => {
    const { logFile, logLevel, production } = env();
    const bytes = isFile(logFile) ? FILE_BYTES : PIPE_BYTES;
    // In production lines leave in batches, at the latest every second, and when the process ends.
    const lines = new SonicBoom({
      ...(logFile === null ? { fd: 1 } : { dest: logFile }),
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
    // On a full disk the process goes on, and lines wait for room. A last flush would be tried for ever there, and
    // would throw before the file is open: it is left out after an error and until then.
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

/** Whether lines go to a file on a disk: standard output may be one, and a path may lead to a pipe. */
function isFile(path: string | null): boolean {
  const found = path === null ? fstatSync(1) : statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ?? true;
}

/**
 * Begins the file anew, for who has renamed it, on SIGHUP. Only the process itself hears a signal: it tells its threads,
 * which write to the file on their own.
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

/** The time of a line as pino wants it, written once for all lines of a millisecond. */
function timeOfLine(): string {
  const nowMs = Date.now();
  if (nowMs !== lineMs) {
    lineMs = nowMs;
    lineTime = `,"time":"${new Date(nowMs).toISOString()}"`;
  }
  return lineTime;
}

/** Writes one JSON line. `message` is a constant of the source, never built from data. */
export function log(level: Level, message: string, fields: LogFields = {}): void {
  const { out } = openLog();
  if (!out.isLevelEnabled(level)) return;
  const line: Record<string, unknown> = {};
  for (const name of ALLOWED) {
    if (fields[name] !== undefined) line[name] = fields[name];
  }
  out[level](line, message);
}

/** Writes the buffered lines; called before the process ends. */
export async function flushLog(): Promise<void> {
  await new Promise<void>((done) => openLog().lines.flush(() => done()));
}

export interface ErrorFacts {
  name: string;
  code?: string;
  constraint?: string;
  stack?: string[];
}

/**
 * What the log may say of an unexpected error: its class, machine code and place in the source. The message is left
 * out, because messages of the database, of parsers and of mail providers quote the data that caused them.
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

/** The places of a stack. It begins with the message, a line of which may look like a place: that part is cut off. */
function framesOf(error: Error | undefined): string[] {
  const stack = error?.stack ?? "";
  const messageAt = error?.message ? stack.indexOf(error.message) : -1;
  const places = messageAt < 0 ? stack : stack.slice(messageAt + (error?.message.length ?? 0));
  return places.split("\n").filter((line) => /^\s+at /.test(line));
}

function pickText(error: Error | undefined): { code?: string; constraint?: string } {
  const found: { code?: string; constraint?: string } = {};
  if (!error) return found;
  if ("code" in error && typeof error.code === "string") found.code = error.code;
  if ("constraint_name" in error && typeof error.constraint_name === "string")
    found.constraint = error.constraint_name;
  return found;
}

/** The only form in which an address may stand in a log: `email#` and 4 hexadecimal digits. */
export function emailTag(emailNormalized: string): string {
  return `email#${emailHash(emailNormalized)}`;
}

/** First 4 hexadecimal digits of SHA-256 of the normalised address. */
export function emailHash(emailNormalized: string): string {
  return createHash("sha256").update(emailNormalized).digest("hex").slice(0, 4);
}
