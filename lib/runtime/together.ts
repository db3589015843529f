import { processWide } from "./process-wide";
import { isDatabaseUnavailable } from "./unavailable";

interface Caller<T> {
  /** Does the work for `n` equal callers and returns an answer for each. */
  work(n: number): Promise<T[]>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/**
 * Lets equal work happen once at a time in this process: who comes while it is under way gathers, and the next run
 * answers all of them. So a thousand equal requests at once are two runs.
 */
export class Together<T> {
  /** A key is in the map while a run under it is under way. */
  readonly #gathered = new Map<string, Caller<T>[]>();

  run(key: string, work: (n: number) => Promise<T[]>): Promise<T> {
    return new Promise((resolve, reject) => {
      const caller = { work, resolve, reject };
      const gathered = this.#gathered.get(key);
      if (gathered) gathered.push(caller);
      else void this.#runAll(key, caller);
    });
  }

  async #runAll(key: string, first: Caller<T>): Promise<void> {
    const gathered: Caller<T>[] = [];
    this.#gathered.set(key, gathered);
    let callers = [first];
    for (let [speaker] = callers; speaker; [speaker] = callers) {
      try {
        const values = await speaker.work(callers.length);
        for (const caller of callers) {
          const value = values.shift();
          if (value === undefined) throw new RangeError("an answer is missing");
          caller.resolve(value);
        }
      } catch (error) {
        // Those who gathered would meet the same.
        if (isDatabaseUnavailable(error)) callers.push(...gathered.splice(0));
        for (const caller of callers) caller.reject(error);
      }
      callers = gathered.splice(0);
    }
    this.#gathered.delete(key);
  }
}

/** The gatherings of this name in this process. */
export function together<T>(name: string): Together<T> {
  return processWide(`together.${name}`, () => new Together<T>());
}
