const REGISTRY = Symbol.for("signal-delivery-service.registry");

// Made by the first bundle that loads this file; the others find it.
const holder: Record<symbol, Map<string, unknown> | undefined> = globalThis as never;
holder[REGISTRY] ??= new Map<string, unknown>();
const registry = holder[REGISTRY];

/**
 * One value per process, however many bundles load this file.
 *
 * The interface runs from the server's own bundle and the pages from Next's. Both must share one database pool, one
 * limiter and one cache. Module state exists once per bundle, this global registry once per process.
 */
export function processWide<T>(name: string, make: () => T): T {
  const found = registry.get(name);
  // Every caller of one name passes the same type.
  if (found !== undefined) return found as T;
  const made = make();
  registry.set(name, made);
  return made;
}

/**
 * Drops the value of this name if it is still this one, so that the next caller makes another. Returns whether it was.
 */
export function forget(name: string, value: unknown): boolean {
  return registry.get(name) === value && registry.delete(name);
}
