import { uniformSource } from "@/lib/engine/random";

/** Random choices that repeat with the same seed. */
export class Dice {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = uniformSource(seed);
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  /** A whole number from 0 to `n - 1`. */
  below(n: number): number {
    return Math.floor(this.#next() * n);
  }

  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new RangeError("nothing to pick from");
    return picked;
  }
}
