import type { Worker } from "node:worker_threads";
import { processWide } from "@/lib/runtime/process-wide";
import { waitForTaskEnd } from "./engine-task-failure";
import { startThread } from "./start-thread";

/** The thread is kept between runs, because it has the models in memory. */
const kept = () => processWide("signals-thread", () => ({ thread: null as Worker | null }));

/**
 * Produces due signals in a separate thread, which is started on first use and restarted after a crash. Aborting ends
 * the thread at once; the database rolls back an unfinished transaction.
 */
export async function produceSignalsInThread(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const thread = kept().thread ?? start();
  thread.postMessage("make");
  if ((await waitForTaskEnd(thread, signal)) === "aborted") await thread.terminate();
}

function start(): Worker {
  const thread = startThread("signals-thread", { resourceLimits: { maxOldGenerationSizeMb: 1024 } });
  // An idle thread must not keep the process alive. A task in progress is notified when the thread ends.
  thread.unref();
  thread.on("error", () => undefined);
  thread.on("exit", () => {
    kept().thread = null;
  });
  kept().thread = thread;
  return thread;
}
