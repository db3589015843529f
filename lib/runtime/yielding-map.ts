/** After so long the process sees to its events before it goes on. */
const SLICE_MS = 8;

/**
 * What `each` makes of every item, in their order. It goes on for a few milliseconds at a time, so that whoever waits for
 * an answer of this process does not wait for all of it. What `each` throws ends it.
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
