import { setTimeout as pause } from "node:timers/promises";
import { errorFacts, log } from "@/lib/runtime/log";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import { MINUTE_MS, SECOND_MS } from "@/lib/time";
import { type CandleStream, FeedFailure, type FeedSlot, type SentCandle } from "./source";
import type { StreamedSlot } from "./streamed-slot";

/** An open stream that says nothing of any slot for so long is mute. */
export const SILENT_AFTER_MS = MINUTE_MS;
const REFUSED_PAUSE_MS = 15 * MINUTE_MS;
const MAX_PAUSE_MS = MINUTE_MS;

/** One slot whose stream is watched. */
export interface Watched {
  slot: FeedSlot;
  streamed: StreamedSlot;
  /** What was missed meanwhile is to be asked for. */
  onConnect(): void;
  onClosed(candle: SentCandle): Promise<void>;
}

/**
 * Watches the stream of a feed until the signal aborts. A stream that ends or falls silent is opened anew; nothing
 * depends on it, because the source is asked after each close as well.
 */
export async function watchStream(
  name: string,
  stream: CandleStream,
  watched: readonly Watched[],
  silentAfterMs: number,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const connection = new AbortController();
    const end = () => connection.abort();
    signal.addEventListener("abort", end, { once: true });
    const heard = { atMs: Date.now(), anything: false };
    const guard = setInterval(() => {
      if (Date.now() - heard.atMs < silentAfterMs) return;
      connection.abort(new FeedFailure("failed", "its stream has fallen silent"));
    }, silentAfterMs / 4);
    let waitMs = REFUSED_PAUSE_MS;
    try {
      await Promise.all(watched.map((one) => listen(stream, one, heard, connection.signal)));
    } catch (error) {
      failures = heard.anything ? 0 : failures + 1;
      waitMs = Math.min(MAX_PAUSE_MS, SECOND_MS * 2 ** Math.min(failures, 6));
      if (!signal.aborted) tell(name, error);
    } finally {
      clearInterval(guard);
      signal.removeEventListener("abort", end);
      connection.abort();
      // A socket that is dead takes its time to close.
      void stream.end().catch(() => undefined);
    }
    await pause(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Follows one slot until the connection ends; at once over where the source has no stream of it. */
async function listen(
  stream: CandleStream,
  { slot, streamed, onConnect, onClosed }: Watched,
  heard: { atMs: number; anything: boolean },
  connection: AbortSignal,
): Promise<void> {
  streamed.reconnect();
  for (let isFirst = true; ; isFirst = false) {
    let sent: SentCandle[];
    try {
      sent = await unlessEnded(stream.next(slot), connection);
    } catch (error) {
      if (error instanceof FeedFailure && error.kind === "refused") return;
      throw error;
    }
    heard.atMs = Date.now();
    heard.anything = true;
    if (isFirst) onConnect();
    for (const candle of streamed.take(sent)) await onClosed(candle);
    // The time that storing took is no silence.
    heard.atMs = Date.now();
  }
}

/** What a promise brings, or the reason of the connection's end when that comes first. */
function unlessEnded<T>(promise: Promise<T>, connection: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(connection.reason);
    if (connection.aborted) end();
    connection.addEventListener("abort", end, { once: true });
    promise.then(resolve, reject).finally(() => connection.removeEventListener("abort", end));
  });
}

function tell(name: string, error: unknown): void {
  if (error instanceof FeedFailure)
    log("info", "a stream ended and is opened again", { component: name, reason: error.message });
  else
    log(isDatabaseUnavailable(error) ? "info" : "error", "a stream's candle was not stored", {
      component: name,
      error: errorFacts(error),
    });
}
