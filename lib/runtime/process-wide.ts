const REGISTRY = Symbol.for("signal-delivery-service.registry");

// globalThis has no type for the registry, which the first bundle that loads this file creates.
const holder: Record<symbol, Map<string, unknown> | undefined> = globalThis as never;
holder[REGISTRY] ??= new Map<string, unknown>();
const registry = holder[REGISTRY];

/**
 * One value per process, even if several bundles load this file.
 *
 * The interface runs from the server's bundle and the pages from Next's. Both must share one database pool, one
 * limiter and one cache. Module state exists once per bundle, this global registry once per process.
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
 * Removes this value if it is still the current one; the next caller then creates another. Returns whether it was
 * removed.
 */
export function forgetProcessValue(name: string, value: unknown): boolean {
  return registry.get(name) === value && registry.delete(name);
}
