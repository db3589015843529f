/** Time after which the loop yields to the event loop, in ms. */
const SLICE_MS = 8;

/**
 * Maps items in order, and yields to the event loop every few milliseconds so that requests of this process are
 * answered meanwhile. Rejects if `each` throws.
 */
export async function yieldingMap<T, R>(
  items: readonly T[],
  each: (item: T, index: number) => R,
): Promise<R[]> {
  const made: R[] = [];
  let since = performance.now();
  for (const [index, item] of items.entries()) {
    if (performance.now() - since > SLICE_MS) {
      await new Promise<void>((goOn) => setImmediate(goOn));
      since = performance.now();
    }
    made.push(each(item, index));
  }
  return made;
}
