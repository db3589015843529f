import type { ErrorFacts } from "@/lib/runtime/log";

/** What the engine's threads can be asked to do. */
export type EngineTask = "signals" | "training";

/** How a task ended. */
export interface EngineAnswer {
  failure: (ErrorFacts & { isDatabaseUnavailable: boolean }) | null;
}
