import type { DatabaseHandle } from "@/db/client";
import { findOpeningBeforeNewestN } from "@/db/queries/execution-figures";
import type { ExecutionFilter } from "@/db/queries/execution-filter";
import { addMs } from "@/lib/time";

/** Maximum number of positions from which a page computes figures, or which it sorts without an index. */
export const MAX_POSITIONS_FOR_FIGURES = 10_000;

/**
 * Narrows a filter to at most the newest `max` matching positions, which opened at `since` or later. Positions that
 * opened at the same time as the next older one are left out. If no more than `max` positions match, the filter is
 * unchanged and `since` is null.
 */
export async function narrowToNewestPositions(
  handle: DatabaseHandle,
  filter: ExecutionFilter,
  max = MAX_POSITIONS_FOR_FIGURES,
): Promise<{ filter: ExecutionFilter; since: Date | null }> {
  const before = await findOpeningBeforeNewestN(handle, filter, max);
  if (before === null) return { filter, since: null };
  const since = addMs(before, 1);
  return { filter: { ...filter, from: since }, since };
}
