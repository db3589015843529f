/**
 * A value for each of many objects that others made, kept on the object itself. A WeakMap says the same; but with ten
 * thousand requests that wait, entering them and looking through them at each collection cost more than their answers.
 */
export class SymbolProperty<T extends object, V> {
  readonly #name = Symbol("attached");

  set(owner: T, value: V): void {
    this.#on(owner)[this.#name] = value;
  }

  of(owner: T): V | undefined {
    return this.#on(owner)[this.#name];
  }

  // Nothing but `set` knows the name, so that no other value stands under it.
  #on(owner: T): Record<symbol, V | undefined> {
    return owner as Record<symbol, V | undefined>;
  }
}
