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

/** What `once` heard of a thread or process: the failure that it sent, or that it ended without a word. */
export function throwFailure(heard: EngineFailure | "ended"): void {
  if (heard === "ended") throw new Error("the engine ended in the middle of a task");
  if (heard !== null) throw new EngineTaskError(heard);
}
