import { processWide } from "./process-wide";

export interface TurnLimits {
  /** Longest wait for one's turn. */
  waitMs: number;
  /** What is thrown to who waited so long. */
  tooLate: () => Error;
  /** Whether a failure ends the wait of all who stand in the same line: they would only fail like that one. */
  endsForAll?: (error: unknown) => boolean;
}

interface Waiting {
  begin(): void;
  refuse(error: unknown): void;
}

/**
 * Lets work under one key happen one at a time in this process, in the order of asking, so that callers of one thing
 * wait here and not each with a connection of the database.
 */
export class Turns {
  /** A key is in the map while one is at work under it. */
  readonly #lines = new Map<string, Set<Waiting>>();

  constructor(readonly limits: TurnLimits) {}

  /** `waitMs` is the longest wait of this caller, in place of that of all. */
  async run<T>(key: string, work: () => Promise<T>, waitMs = this.limits.waitMs): Promise<T> {
    const line = this.#lines.get(key);
    if (line) await this.#wait(line, waitMs);
    else this.#lines.set(key, new Set());
    try {
      return await work();
    } catch (error) {
      if (this.limits.endsForAll?.(error))
        for (const waiting of [...(this.#lines.get(key) ?? [])]) waiting.refuse(error);
      throw error;
    } finally {
      this.#next(key);
    }
  }

  #wait(line: Set<Waiting>, waitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        line.delete(waiting);
      };
      const waiting: Waiting = {
        begin: () => {
          leave();
          resolve();
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
      };
      const timer = setTimeout(() => setImmediate(() => waiting.refuse(this.limits.tooLate())), waitMs);
      line.add(waiting);
    });
  }

  #next(key: string): void {
    const [next] = this.#lines.get(key) ?? [];
    if (next) next.begin();
    else this.#lines.delete(key);
  }
}

/** The turns of this name in this process. */
export function turns(name: string, limits: TurnLimits): Turns {
  return processWide(`turns.${name}`, () => new Turns(limits));
}
