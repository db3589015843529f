/**
 * Attaches values to objects of other modules, stored on each object under a private symbol. A WeakMap would do the
 * same, but with ten thousand waiting requests its insertions and garbage collection cost more than the answers.
 */
export class AttachedProperty<T extends object, V> {
  readonly #name = Symbol("attached");

  set(owner: T, value: V): void {
    this.#on(owner)[this.#name] = value;
  }

  of(owner: T): V | undefined {
    return this.#on(owner)[this.#name];
  }

  // The cast is safe: the symbol is private, so only `set` stores values under it.
  #on(owner: T): Record<symbol, V | undefined> {
    return owner as Record<symbol, V | undefined>;
  }
}
