const REGISTRY = Symbol.for("signal-delivery-service.registry");

// globalThis has no type for the registry, which the first bundle that loads this file creates.
const holder: Record<symbol, Map<string, unknown> | undefined> = globalThis as never;
holder[REGISTRY] ??= new Map<string, unknown>();
const registry = holder[REGISTRY];

/**
 * Returns the value with this name, created by `make` on the first call. There is one per process, even if several
 * bundles load this file.
 *
 * The interface runs from the server's bundle and the pages from Next's. Both must share one database pool, one limiter
 * and one cache. Module state would exist once per bundle.
 */
export function processWide<T>(name: string, make: () => T): T {
  const found = registry.get(name);
  // The cast is safe: every caller of one name passes the same type.
  if (found !== undefined) return found as T;
  const made = make();
  registry.set(name, made);
  return made;
}

/**
 * Removes `value` if it is still the current one of this name, so that the next caller of `processWide` creates
 * another. Returns whether it was removed.
 */
export function forgetProcessValue(name: string, value: unknown): boolean {
  return registry.get(name) === value && registry.delete(name);
}
