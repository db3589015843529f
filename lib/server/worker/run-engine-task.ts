import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { processWide } from "@/lib/runtime/process-wide";
import type { EngineAnswer, EngineTask } from "./engine-tasks";
import { makeTrafficGate, watchTraffic } from "./traffic-gate";

/** A task failed in its thread. `name` and `code` are those of the error there. */
export class EngineTaskError extends Error {
  readonly code: string | undefined;

  constructor(failure: NonNullable<EngineAnswer["failure"]>) {
    super("a task of the engine failed");
    this.name = failure.name;
    this.code = failure.isDatabaseUnavailable ? "CONNECTION_CLOSED" : failure.code;
  }
}

/** The thread of trainings is ended when it holds more after one, and the next training gets a new one. */
const KEPT_BYTES = 48 * 2 ** 20;

/** One thread for each kind of task: a tick never waits for a training, and a training waits for requests. */
const engine = () =>
  processWide("engine", () => ({ threads: new Map<EngineTask, Worker>(), gate: makeTrafficGate() }));

/**
 * Runs a task in its thread, which is started on first use and again after it died. Aborting ends the thread at once;
 * the database rolls back an unfinished transaction.
 */
export async function runEngineTask(task: EngineTask, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const thread = engine().threads.get(task) ?? startThread(task);
  const stopWatching = task === "training" ? watchTraffic(engine().gate) : null;
  const settled = new AbortController();
  try {
    thread.postMessage(task);
    const answer = await Promise.race([
      once(thread, "message", { signal: settled.signal }).then(([message]: EngineAnswer[]) => message),
      once(thread, "exit", { signal: settled.signal }).then(() => "ended" as const),
      once(signal, "abort", { signal: settled.signal }).then(() => "aborted" as const),
    ]);
    if (answer === "aborted") return void (await thread.terminate());
    if (answer === "ended" || answer === undefined)
      throw new Error("the engine's thread ended in the middle of a task");
    // It leaves the thread with what it grew to. The thread of signals is asked every second and keeps what it has loaded.
    if (task === "training" && answer.heldBytes > KEPT_BYTES) await thread.terminate();
    if (answer.failure !== null) throw new EngineTaskError(answer.failure);
  } finally {
    stopWatching?.();
    settled.abort();
  }
}

function startThread(task: EngineTask): Worker {
  const thread = newThread();
  // An idle thread must not keep the process alive. A task that is under way learns of the thread's end by itself.
  thread.unref();
  thread.on("error", () => undefined);
  thread.on("exit", () => engine().threads.delete(task));
  engine().threads.set(task, thread);
  return thread;
}

/** The bundle's own entry in production. When it runs from the sources, the thread first loads a TypeScript loader. */
function newThread(): Worker {
  const options = { workerData: engine().gate, resourceLimits: { maxOldGenerationSizeMb: 1024 } };
  if (import.meta.url.endsWith(".mjs"))
    return new Worker(new URL("./engine-thread.mjs", import.meta.url), options);
  const entry = JSON.stringify(new URL("./engine-thread.ts", import.meta.url).href);
  const start = `import("tsx/esm/api").then(({ register }) => { register(); return import(${entry}); });`;
  return new Worker(start, { ...options, eval: true });
}
