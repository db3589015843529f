import { errorFacts, log } from "@/lib/runtime/log";
import { fetches } from "./fetches";
import { heartbeats } from "./heartbeat";

const FLUSH_INTERVAL_MS = 5_000;

/**
 * Starts writing every five seconds what calls have left in memory: heartbeats and first fetches. The returned function
 * writes the last of it and stops.
 */
export function startCallWriter(): () => Promise<void> {
  let underWay: Promise<unknown> = Promise.resolve();
  const write = () => {
    underWay = Promise.all([
      heartbeats().flush().catch(noteFailure("heartbeats could not be written")),
      fetches().flush().catch(noteFailure("fetches could not be written")),
    ]);
    return underWay;
  };
  const timer = setInterval(write, FLUSH_INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await underWay;
    await write();
  };
}

const noteFailure = (message: string) => (error: unknown) =>
  log("warn", message, { error: errorFacts(error) });
