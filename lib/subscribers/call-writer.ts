import { errorFacts, log } from "@/lib/runtime/log";
import { SECOND_MS } from "@/lib/time";
import { fetches } from "./fetches";
import { HEARTBEAT_PARTS, heartbeats } from "./heartbeat";

/** A second fetch waits for a first one that is not written: after a second it rarely has to. */
const FETCHES_MS = SECOND_MS;
const HEARTBEATS_MS = 5 * SECOND_MS;

/**
 * Starts writing what calls have left in memory: first fetches, and heartbeats a part at a time, so that each key is
 * written at most once in five seconds. What is due waits for `calm`: thousands who are being told of a signal need the
 * same processors. The returned function writes the last of it and stops.
 */
export function startCallWriter(calm: () => Promise<void> = () => Promise.resolve()): () => Promise<void> {
  const writers = [
    startWriting("fetches", {
      everyMs: FETCHES_MS,
      write: () => calm().then(() => fetches().flush()),
      writeAll: () => fetches().flush(),
    }),
    startWriting("heartbeats", {
      everyMs: HEARTBEATS_MS / HEARTBEAT_PARTS,
      write: () => calm().then(() => heartbeats().flushPart()),
      writeAll: () => heartbeats().flush(),
    }),
  ];
  return async () => {
    await Promise.all(writers.map((stop) => stop()));
  };
}

/** Writes again and again, never beside a write that is under way. The returned function waits for that, writes all and stops. */
function startWriting(
  what: string,
  { everyMs, write, writeAll }: { everyMs: number; write(): Promise<void>; writeAll(): Promise<void> },
): () => Promise<void> {
  const noteFailure = (error: unknown) =>
    log("warn", `${what} could not be written`, { error: errorFacts(error) });
  let underWay: Promise<void> | null = null;
  const timer = setInterval(() => {
    underWay ??= write()
      .catch(noteFailure)
      .finally(() => {
        underWay = null;
      });
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await underWay;
    await writeAll().catch(noteFailure);
  };
}
