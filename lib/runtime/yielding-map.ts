/** Time in ms after which the loop lets the event loop handle other events. */
const SLICE_MS = 8;

/**
 * Maps items in order. Every few milliseconds it lets the event loop handle other events, so that this process keeps
 * answering requests. Rejects if `each` throws.
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
