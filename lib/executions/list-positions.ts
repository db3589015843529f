import type { DatabaseHandle } from "@/db/client";
import {
  countFilteredExecutions,
  isUnfiltered,
  sumVolumeAndCosts,
  type VolumeAndCostSums,
} from "@/db/queries/execution-figures";
import type { ExecutionFilter } from "@/db/queries/execution-filter";
import {
  type ExecutionOrder,
  type ExecutionWithCursor,
  listFilteredExecutions,
} from "@/db/queries/executions";
import { MAX_POSITIONS_FOR_FIGURES, narrowToNewestPositions } from "./newest-positions";

export interface PositionList {
  rows: ExecutionWithCursor[];
  /** Number of positions that the pages of the list show together. */
  nListed: number;
  n: number;
  nClosed: number;
  totalPnl: string;
  /** false: more than `n` positions match, and the sums cover the newest only. */
  isCountedWhole: boolean;
  details: VolumeAndCostSums[];
  /**
   * Positions opened before this are left out of the sums of details, because the history is long; null: all are
   * included.
   */
  since: Date | null;
  /**
   * Positions opened before this are left out of the list: no index has its order, or the sums of its filter leave them
   * out, too; null: all are included.
   */
  sortedSince: Date | null;
}

/** Whether an index has this order, so that any number of positions can be sorted. */
export const isIndexed = ({ sort }: ExecutionOrder): boolean => sort === "opened_at" || sort === "ticket";

/**
 * A page of the filtered positions with their sums. In a long history, orders without an index, sums of details,
 * and list and sums of a filter cover the newest `max` positions only.
 */
export async function listPositions(
  handle: DatabaseHandle,
  filter: ExecutionFilter,
  order: ExecutionOrder,
  page: { limit: number; offset: number },
  max = MAX_POSITIONS_FOR_FIGURES,
): Promise<PositionList> {
  const { filter: newest, since } = await narrowToNewestPositions(handle, filter, max);
  const isCountedWhole = since === null || isUnfiltered(filter);
  const isListedWhole = isCountedWhole && isIndexed(order);
  const sorted = isListedWhole ? filter : newest;
  const counting = countFilteredExecutions(handle, isCountedWhole ? filter : newest);
  const [rows, counted, details] = await Promise.all([
    isListedWhole && page.offset > max
      ? counting.then(({ n }) => listFromNearerEnd(handle, sorted, order, page, n))
      : listFilteredExecutions(handle, sorted, order, page),
    counting,
    sumVolumeAndCosts(handle, newest),
  ]);
  const nListed = isListedWhole ? counted.n : Math.min(counted.n, max);
  const sortedSince = isListedWhole ? null : since;
  return { rows, nListed, ...counted, isCountedWhole, details, since, sortedSince };
}

/**
 * A page of a long list. PostgreSQL reads every row before it, so a page of the second half is read backwards
 * from the end: the last page of 500,000 positions costs as little as the first.
 */
async function listFromNearerEnd(
  handle: DatabaseHandle,
  filter: ExecutionFilter,
  order: ExecutionOrder,
  page: { limit: number; offset: number },
  total: number,
): Promise<ExecutionWithCursor[]> {
  const limit = Math.min(page.limit, total - page.offset);
  if (limit <= 0) return [];
  const fromEnd = total - page.offset - limit;
  if (fromEnd >= page.offset) return listFilteredExecutions(handle, filter, order, { ...page, limit });
  const backwards = { ...order, descending: !order.descending };
  return (await listFilteredExecutions(handle, filter, backwards, { limit, offset: fromEnd })).reverse();
}

/** The order of an export. A long history is exported by opening time if no index has the requested order. */
export async function sortOrderForExport(
  handle: DatabaseHandle,
  filter: ExecutionFilter,
  order: ExecutionOrder,
  max = MAX_POSITIONS_FOR_FIGURES,
): Promise<ExecutionOrder> {
  if (isIndexed(order)) return order;
  const { since } = await narrowToNewestPositions(handle, filter, max);
  return since === null ? order : { sort: "opened_at", descending: true };
}
