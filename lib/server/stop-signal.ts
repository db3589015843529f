import { once } from "node:events";
import { log } from "@/lib/runtime/log";
import { endProcess } from "./end-process";

/** Longest shutdown after the drain delay. The supervisors in deploy/ kill a process after 30 s or more. */
const GRACE_MS = 24_000;

/**
 * Returns a signal that the first SIGTERM or SIGINT aborts. Call this before anything that would outlive the process.
 * From then on a stop signal does not end the process at once: the process has 24 s plus `delayMs` for its shutdown,
 * and is then ended.
 */
export function installStopSignal(delayMs = 0): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) return;
    log("info", "stopping");
    setTimeout(() => endProcess(1), delayMs + GRACE_MS).unref();
    controller.abort();
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  return controller.signal;
}

/** Resolves when the signal aborts, or at once if it already has. */
export async function whenStopped(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}
