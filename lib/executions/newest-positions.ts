import type { Handle } from "@/db/client";
import { findOpeningBefore } from "@/db/queries/execution-figures";
import type { ExecutionFilter } from "@/db/queries/execution-filter";
import { addMs } from "@/lib/time";

/** Positions that figures with an order (runs, drawdown, curve) are computed from in the time of a page. */
export const MOST_FIGURED = 10_000;

/**
 * The filter narrowed to the newest `most` positions, and since when they were opened. A whole history is not cut: then
 * the filter comes back as it is, with null.
 */
export async function newestPositions(
  handle: Handle,
  filter: ExecutionFilter,
  most = MOST_FIGURED,
): Promise<{ filter: ExecutionFilter; since: Date | null }> {
  const before = await findOpeningBefore(handle, filter, most);
  if (before === null) return { filter, since: null };
  const since = addMs(before, 1);
  return { filter: { ...filter, from: since }, since };
}
