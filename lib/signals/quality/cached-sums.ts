import { LRUCache } from "lru-cache";
import { groupBy } from "@/lib/runtime/group-by";
import { processWide } from "@/lib/runtime/process-wide";

/**
 * Maximum number of cached parts (a slot, or a day of a slot) of one kind of sums, enough for several windows. Sums of
 * forecasts take 10 kB per model and part, all others less.
 */
const MAX_CACHED = 1_000;

const cacheOf = <T>(name: string) =>
  processWide(`cached-sums.${name}`, () => new LRUCache<string, readonly T[]>({ max: MAX_CACHED }));

/**
 * The sums of the parts of a window; a part is a slot or one day of a slot. As the window moves and outcomes
 * arrive, most parts do not change, so their sums are cached under the part's revision. `read` loads the missing
 * ones.
 */
export async function cachedSums<M extends { revision: string }, T>(
  name: string,
  wanted: readonly M[],
  { partOf, read }: { partOf: (one: M | T) => string; read: (missing: readonly M[]) => Promise<T[]> },
): Promise<T[]> {
  const cache = cacheOf<T>(name);
  const keyOf = (part: M) => `${partOf(part)} ${part.revision}`;
  const found = new Map(wanted.map((part) => [part, cache.get(keyOf(part))]));
  const missing = wanted.filter((part) => found.get(part) === undefined);
  if (missing.length > 0) {
    const parts = groupBy(await read(missing), partOf);
    for (const part of missing) {
      const sums = parts.get(partOf(part)) ?? [];
      cache.set(keyOf(part), sums);
      found.set(part, sums);
    }
  }
  return [...found.values()].flatMap((sums) => sums ?? []);
}
