/**
 * A map that forgets what was not used lately: the last `most` entries used are there, and never more than twice as
 * many. Every step takes constant time.
 *
 * It keeps two generations instead of one order of use. A Map that deletes its oldest entry at each insertion has to
 * walk over more and more deleted places to find that entry.
 */
export class RecentMap<K, V extends NonNullable<unknown>> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(readonly most: number) {}

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.most && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
