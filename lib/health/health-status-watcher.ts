import { errorFacts, log } from "@/lib/runtime/log";
import { processWide } from "@/lib/runtime/process-wide";
import { SECOND_MS } from "@/lib/time";
import { type HealthBody, readHealth } from "./read-health";

const CHECK_MS = 5 * SECOND_MS;

/** The status of the service with its reasons. */
export type HealthSummary = Pick<HealthBody, "status" | "reasons">;
type Listener = (state: HealthSummary) => void;

/**
 * Notifies open streams when a check, every five seconds, finds another status of the service (`ok`, `degraded` or
 * `down`). Other reasons for the same status are not sent. Without listeners nothing runs.
 */
class HealthStatusWatcher {
  readonly #listeners = new Set<Listener>();
  #timer: NodeJS.Timeout | null = null;
  #status: string | null = null;

  /** Calls `listener` with each new status and its reasons until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => void this.#check(), CHECK_MS);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0 || this.#timer === null) return;
      clearInterval(this.#timer);
      this.#timer = null;
      this.#status = null;
    };
  }

  async #check(): Promise<void> {
    try {
      const { status, reasons } = await readHealth();
      const isChange = this.#status !== null && this.#status !== status;
      this.#status = status;
      if (isChange) for (const listener of [...this.#listeners]) listener({ status, reasons });
    } catch (error) {
      log("warn", "could not send the health to streams", { error: errorFacts(error) });
    }
  }
}

export function healthStatusWatcher(): HealthStatusWatcher {
  return processWide("health-status-watcher", () => new HealthStatusWatcher());
}
