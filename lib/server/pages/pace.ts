import { SECOND_MS } from "@/lib/time";

/** What goes unused while the loop is busy may be caught up within this time, and no more. */
const CATCH_UP_MS = 5;

/**
 * Lets callers go on one at a time, so many a second at most, with a turn of the event loop between: a crowd of cheap
 * answers, each sent as soon as it is asked for, would otherwise hold up every other request for as long as all of them
 * take together, and keep a processor for itself.
 */
export class Pace {
  readonly #waiting: (() => void)[] = [];
  readonly #everyMs: number;
  /** When the next one may go. */
  #nextMs = 0;

  constructor(perSecond: number) {
    this.#everyMs = SECOND_MS / perSecond;
  }

  take(): Promise<void> {
    return new Promise((goOn) => {
      this.#waiting.push(goOn);
      if (this.#waiting.length === 1) setImmediate(this.#next);
    });
  }

  readonly #next = (): void => {
    const now = performance.now();
    if (now < this.#nextMs) {
      setTimeout(this.#next, this.#nextMs - now);
      return;
    }
    this.#nextMs = Math.max(this.#nextMs, now - CATCH_UP_MS) + this.#everyMs;
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#next);
  };
}
