import { once } from "node:events";
import { log } from "@/lib/runtime/log";

/** Longest time for a stop after the delay; supervisors give a process 25 s before they kill it. */
const GRACE_MS = 24_000;

/**
 * Aborted by the first SIGTERM or SIGINT. Ask for it before anything is started that would outlive the process.
 * From then on a signal does not end the process by itself; the process has `GRACE_MS` to end what it
 * started. `delayMs` is added to it.
 */
export function stopSignal(delayMs = 0): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) return;
    log("info", "stopping");
    setTimeout(() => process.exit(1), delayMs + GRACE_MS).unref();
    controller.abort();
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  return controller.signal;
}

/** Resolves when the process is told to stop, or was. */
export async function stopped(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}
