import { setMaxListeners } from "node:events";

/**
 * A signal that aborts with `signal` or after `ms`, whichever comes first, until it is released.
 *
 * In place of `AbortSignal.any`, by which a signal that lives as long as its process keeps a trace of every one that was
 * made from it (seen in Node 20.20).
 */
export function limitedSignal(signal: AbortSignal, ms: number): { limited: AbortSignal; release(): void } {
  const either = new AbortController();
  const end = () => either.abort();
  // As many as follow it at once: each takes its listener away again.
  setMaxListeners(0, signal);
  const timer = setTimeout(end, ms);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  return {
    limited: either.signal,
    release: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    },
  };
}
