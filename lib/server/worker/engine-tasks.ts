import type { ErrorFacts } from "@/lib/runtime/log";

/** The tasks of the engine's threads. */
export type EngineTask = "signals" | "training";

/** How a task ended. */
export interface EngineAnswer {
  failure: (ErrorFacts & { isDatabaseUnavailable: boolean }) | null;
  /** What the thread holds in memory after it, in bytes. */
  heldBytes: number;
}
