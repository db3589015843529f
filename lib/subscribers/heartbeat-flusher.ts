import { errorFacts, log } from "@/lib/runtime/log";
import { SECOND_MS } from "@/lib/time";
import { HEARTBEAT_PARTS, heartbeatBuffer } from "./heartbeat";
import { signalFetchBuffer } from "./signal-fetches";
import { terminalBuffer } from "./terminals";

const FETCHES_MS = 2 * SECOND_MS;
const HEARTBEATS_MS = 5 * SECOND_MS;
/** Pause after a failed write. */
const RETRY_MS = 5 * SECOND_MS;

/**
 * Starts writing buffered calls: fetches, terminals and heartbeats. Heartbeats are written one part at a time, so
 * that each key is written at most once in five seconds. The returned function stops and writes the rest.
 */
export function startHeartbeatFlusher(): () => Promise<void> {
  const writers = [
    startFlushing("fetches", {
      everyMs: FETCHES_MS,
      write: () => signalFetchBuffer().flush(),
      writeAll: () => signalFetchBuffer().flush(),
    }),
    startFlushing("terminals", {
      everyMs: HEARTBEATS_MS,
      write: () => terminalBuffer().flush(),
      writeAll: () => terminalBuffer().flush(),
    }),
    startFlushing("heartbeats", {
      everyMs: HEARTBEATS_MS / HEARTBEAT_PARTS,
      write: () => heartbeatBuffer().flushPart(),
      writeAll: () => heartbeatBuffer().flush(),
    }),
  ];
  return async () => {
    await Promise.all(writers.map((stop) => stop()));
  };
}

/**
 * Calls `write` again and again: `everyMs` after a call has ended, and 5 s after one has failed. The returned function
 * stops this: it waits for the call in progress, then calls `writeAll`.
 */
export function startFlushing(
  what: string,
  { everyMs, write, writeAll }: { everyMs: number; write(): Promise<void>; writeAll(): Promise<void> },
): () => Promise<void> {
  const noteFailure = (error: unknown) =>
    log("warn", `${what} could not be written`, { error: errorFacts(error) });
  let isStopped = false;
  let underWay = Promise.resolve();
  let timer = setTimeout(run, everyMs);
  function run(): void {
    underWay = write()
      .then(
        () => everyMs,
        (error: unknown) => {
          noteFailure(error);
          return RETRY_MS;
        },
      )
      .then((pauseMs) => {
        if (!isStopped) timer = setTimeout(run, pauseMs);
      });
  }
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await underWay;
    await writeAll().catch(noteFailure);
  };
}
