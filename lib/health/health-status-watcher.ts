import { errorFacts, log } from "@/lib/runtime/log";
import { processWide } from "@/lib/runtime/process-wide";
import { SECOND_MS } from "@/lib/time";
import { type HealthBody, readHealth } from "./read-health";

const LOOK_MS = 5 * SECOND_MS;

/** The status of the service with its reasons. */
export type HealthSummary = Pick<HealthBody, "status" | "reasons">;
type Hear = (state: HealthSummary) => void;

/**
 * Notifies open streams when a check, every five seconds, finds another status of the service (`ok`, `degraded` or
 * `down`). Other reasons for the same status are not sent. Without listeners nothing runs.
 */
class HealthChanges {
  readonly #listeners = new Set<Hear>();
  #timer: NodeJS.Timeout | null = null;
  #status: string | null = null;

  /** Calls `hear` with each new status and its reasons until the returned function is called. */
  listen(hear: Hear): () => void {
    this.#listeners.add(hear);
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS);
    return () => {
      this.#listeners.delete(hear);
      if (this.#listeners.size > 0 || this.#timer === null) return;
      clearInterval(this.#timer);
      this.#timer = null;
      this.#status = null;
    };
  }

  async #look(): Promise<void> {
    try {
      const { status, reasons } = await readHealth();
      const isChange = this.#status !== null && this.#status !== status;
      this.#status = status;
      if (isChange) for (const hear of [...this.#listeners]) hear({ status, reasons });
    } catch (error) {
      log("warn", "could not send the health to streams", { error: errorFacts(error) });
    }
  }
}

export function healthStatusWatcher(): HealthChanges {
  return processWide("health-changes", () => new HealthChanges());
}
