import type { Handle } from "@/db/client";
import { findOpeningBeyondNewest } from "@/db/queries/execution-figures";
import type { ExecutionFilter } from "@/db/queries/execution-filter";
import { addMs } from "@/lib/time";

/** Maximum number of positions for figures that depend on their order (runs, drawdown, curve). */
export const MAX_FIGURED_POSITIONS = 10_000;

/**
 * The filter narrowed to the newest `max` positions, and their earliest opening. With fewer matches the filter
 * is unchanged and the opening null.
 */
export async function newestPositions(
  handle: Handle,
  filter: ExecutionFilter,
  max = MAX_FIGURED_POSITIONS,
): Promise<{ filter: ExecutionFilter; since: Date | null }> {
  const before = await findOpeningBeyondNewest(handle, filter, max);
  if (before === null) return { filter, since: null };
  const since = addMs(before, 1);
  return { filter: { ...filter, from: since }, since };
}
