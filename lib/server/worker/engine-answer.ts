import { type EventEmitter, once } from "node:events";
import { type ErrorFacts, errorFacts } from "@/lib/runtime/log";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";

/** How a task of the engine ended in its thread; null: well. */
export type EngineFailure = (ErrorFacts & { isDatabaseUnavailable: boolean }) | null;

/** A task of the engine failed in its thread. `name` and `code` are those of the error there. */
export class EngineTaskError extends Error {
  readonly code: string | undefined;

  constructor(failure: NonNullable<EngineFailure>) {
    super("a task of the engine failed");
    this.name = failure.name;
    this.code = failure.isDatabaseUnavailable ? "CONNECTION_CLOSED" : failure.code;
  }
}

/** Runs a task, and says how it ended in words that can be passed on to another thread or process. */
export async function failureOf(task: () => Promise<unknown>): Promise<EngineFailure> {
  try {
    await task();
    return null;
  } catch (error) {
    return { ...errorFacts(error), isDatabaseUnavailable: isDatabaseUnavailable(error) };
  }
}

/**
 * Resolves when a thread or process says that its task went well, or when it is to be ended, and then to `"aborted"`. Throws
 * when the task failed, or when the thread or process ended without a word.
 */
export async function onTaskEnd(engine: EventEmitter, signal: AbortSignal): Promise<"done" | "aborted"> {
  const settled = new AbortController();
  try {
    const heard = await Promise.race([
      once(engine, "message", { signal: settled.signal }).then(([failure]: EngineFailure[]) => failure),
      once(engine, "exit", { signal: settled.signal }).then(() => "ended" as const),
      once(signal, "abort", { signal: settled.signal }).then(() => "aborted" as const),
    ]);
    if (heard === "aborted") return heard;
    if (heard === "ended") throw new Error("the engine ended in the middle of a task");
    if (heard) throw new EngineTaskError(heard);
    return "done";
  } finally {
    settled.abort();
  }
}
