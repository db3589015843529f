import { type EventEmitter, once } from "node:events";
import { type ErrorFacts, errorFacts } from "@/lib/runtime/log";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";

/** Failure of an engine task that ran in another thread or process; null: it succeeded. */
export type EngineFailure = (ErrorFacts & { isDatabaseUnavailable: boolean }) | null;

/**
 * Thrown for an engine task that failed in another thread or process. `name` and `code` are those of the original
 * error; `code` is CONNECTION_CLOSED if the database did not answer.
 */
export class EngineTaskError extends Error {
  readonly code: string | undefined;

  constructor(failure: NonNullable<EngineFailure>) {
    super("an engine task failed");
    this.name = failure.name;
    this.code = failure.isDatabaseUnavailable ? "CONNECTION_CLOSED" : failure.code;
  }
}

/** Runs a task and returns its failure in a form that can be sent to another thread or process. */
export async function captureTaskFailure(task: () => Promise<unknown>): Promise<EngineFailure> {
  try {
    await task();
    return null;
  } catch (error) {
    return { ...errorFacts(error), isDatabaseUnavailable: isDatabaseUnavailable(error) };
  }
}

/**
 * Resolves to "done" when a thread or process reports success, or to "aborted" when `signal` aborts. Throws if the
 * task failed, or if the thread or process ended without a report.
 */
export async function waitForTaskEnd(engine: EventEmitter, signal: AbortSignal): Promise<"done" | "aborted"> {
  const settled = new AbortController();
  try {
    const heard = await Promise.race([
      once(engine, "message", { signal: settled.signal }).then(([failure]: EngineFailure[]) => failure),
      once(engine, "exit", { signal: settled.signal }).then(() => "ended" as const),
      once(signal, "abort", { signal: settled.signal }).then(() => "aborted" as const),
    ]);
    if (heard === "aborted") return heard;
    if (heard === "ended") throw new Error("the engine ended during a task");
    if (heard) throw new EngineTaskError(heard);
    return "done";
  } finally {
    settled.abort();
  }
}
