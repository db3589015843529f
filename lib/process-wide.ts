/**
 * One value per process, however many bundles load this file.
 *
 * The interface runs from the server's own bundle and the pages from Next's; both must see one database
 * pool, one limiter and one cache. Module state would exist once per bundle, the global registry does not.
 */
export function processWide<T>(name: string, make: () => T): T {
  const registry: Record<symbol, unknown> = globalThis as never;
  const key = Symbol.for(`signal-delivery-service.${name}`);
  if (!(key in registry)) registry[key] = make();
  // The key is private to this function and every caller of one name passes the same type.
  return registry[key] as T;
}
