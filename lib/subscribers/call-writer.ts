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
    startWriting(() => fetches().flush(), INTERVAL_MS, "fetches could not be written"),
    startWriting(
      () => heartbeats().flushPart(),
      INTERVAL_MS / HEARTBEAT_PARTS,
      "heartbeats could not be written",
    ),
  ];
  return async () => {
    await Promise.all(writers.map((stop) => stop()));
    await Promise.all([
      fetches().flush().catch(noteFailure("fetches could not be written")),
      heartbeats().flush().catch(noteFailure("heartbeats could not be written")),
    ]);
  };
}

/** Writes again and again, never beside a write that is under way. The returned function waits for that and stops. */
function startWriting(write: () => Promise<void>, everyMs: number, failure: string): () => Promise<void> {
  let underWay: Promise<void> | null = null;
  const timer = setInterval(() => {
    underWay ??= write()
      .catch(noteFailure(failure))
      .finally(() => {
        underWay = null;
      });
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}

const noteFailure = (message: string) => (error: unknown) =>
  log("warn", message, { error: errorFacts(error) });
