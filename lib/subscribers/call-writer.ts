import { errorFacts, log } from "@/lib/runtime/log";
import { fetches } from "./fetches";
import { HEARTBEAT_PARTS, heartbeats } from "./heartbeat";

const INTERVAL_MS = 5_000;

/**
 * Starts writing what calls have left in memory: first fetches, and heartbeats a part at a time, so that each key is
 * written at most once in five seconds. The returned function writes the last of it and stops.
 */
export function startCallWriter(): () => Promise<void> {
  const writers = [
    startWriting("fetches", {
      everyMs: INTERVAL_MS,
      write: () => fetches().flush(),
      writeAll: () => fetches().flush(),
    }),
    startWriting("heartbeats", {
      everyMs: INTERVAL_MS / HEARTBEAT_PARTS,
      write: () => heartbeats().flushPart(),
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
