import { LRUCache } from "lru-cache";
import type { SumMark } from "@/db/queries/track-record";
import { groupBy } from "@/lib/runtime/group-by";
import { processWide } from "@/lib/runtime/process-wide";

/** Slots over some windows. A tally takes 10 kB for each model, everything else less. */
const MOST_KEPT = 1_000;

const kept = <J>(name: string) =>
  processWide(`kept-sums.${name}`, () => new LRUCache<string, readonly J[]>({ max: MOST_KEPT }));

/**
 * Joins the sums of the whole days of a window, slot by slot. They change once a day, while the window moves on and new
 * outcomes come with every request: what was joined is kept under the mark of its sums. `read` is asked for the other slots.
 * Where days that are in no sum lie between them, the sums stay apart, to be joined in order of time.
 */
export async function joinSums<S extends { slotId: number }, J>(
  name: string,
  marks: readonly SumMark[],
  read: (slotIds: number[]) => Promise<S[]>,
  join: (sums: readonly S[]) => J[],
): Promise<J[]> {
  const cache = kept<J>(name);
  const keyOf = ({ slotId, mark }: SumMark) => `${slotId}/${mark}`;
  const found = new Map(
    marks.flatMap((mark) => {
      const held = mark.isParted ? undefined : cache.get(keyOf(mark));
      return held ? [[mark.slotId, held] as const] : [];
    }),
  );
  const missing = marks.filter(({ slotId }) => !found.has(slotId));
  if (missing.length > 0) {
    const sums = groupBy(await read(missing.map(({ slotId }) => slotId)), ({ slotId }) => slotId);
    for (const mark of missing) {
      const ofSlot = sums.get(mark.slotId) ?? [];
      const joined = mark.isParted ? ofSlot.flatMap((sum) => join([sum])) : join(ofSlot);
      if (!mark.isParted) cache.set(keyOf(mark), joined);
      found.set(mark.slotId, joined);
    }
  }
  return [...found.values()].flat();
}
