import type { Handle } from "@/db/client";
import {
  countFilteredExecutions,
  type DetailSums,
  isUnfiltered,
  sumDetails,
} from "@/db/queries/execution-figures";
import type { ExecutionFilter } from "@/db/queries/execution-filter";
import { type ExecutionOrder, listFilteredExecutions, type PlacedExecution } from "@/db/queries/executions";
import { MOST_FIGURED, newestPositions } from "./newest-positions";

export interface PositionList {
  rows: PlacedExecution[];
  /** Rows of all pages in this order. */
  nListed: number;
  n: number;
  nClosed: number;
  totalPnl: string;
  /** false: there are more than `n`, and the sums are those of the newest. */
  isCountedWhole: boolean;
  details: DetailSums[];
  /** Of a long history: since when the positions were opened whose details are summed up. */
  since: Date | null;
  /** The same of the positions that stand in this order; null: all do. */
  sortedSince: Date | null;
}

/** Whether the positions of a subscription stand in this order in an index, however many there are. */
const isIndexed = ({ sort }: ExecutionOrder): boolean => sort === "opened_at" || sort === "ticket";

/**
 * A page of the filtered positions with what they amount to. Of a long history the orders that have no index, the sums
 * of details and those of a filter are made over the newest `most`.
 */
export async function listPositions(
  handle: Handle,
  filter: ExecutionFilter,
  order: ExecutionOrder,
  page: { limit: number; offset: number },
  most = MOST_FIGURED,
): Promise<PositionList> {
  const { filter: newest, since } = await newestPositions(handle, filter, most);
  const isCountedWhole = since === null || isUnfiltered(filter);
  const sorted = isIndexed(order) ? filter : newest;
  const counting = countFilteredExecutions(handle, isCountedWhole ? filter : newest);
  const [rows, counted, details] = await Promise.all([
    isCountedWhole && page.offset > most
      ? counting.then(({ n }) => listFromNearerEnd(handle, sorted, order, page, n))
      : listFilteredExecutions(handle, sorted, order, page),
    counting,
    sumDetails(handle, newest),
  ]);
  const nListed = isIndexed(order) ? counted.n : Math.min(counted.n, most);
  const sortedSince = isIndexed(order) ? null : since;
  return { rows, nListed, ...counted, isCountedWhole, details, since, sortedSince };
}

/**
 * A page deep in a long list. PostgreSQL walks over every row before it, so a page of the second half is read backwards
 * from the end: the last page of 500,000 positions costs as little as the first.
 */
async function listFromNearerEnd(
  handle: Handle,
  filter: ExecutionFilter,
  order: ExecutionOrder,
  page: { limit: number; offset: number },
  total: number,
): Promise<PlacedExecution[]> {
  const limit = Math.min(page.limit, total - page.offset);
  if (limit <= 0) return [];
  const fromEnd = total - page.offset - limit;
  if (fromEnd >= page.offset) return listFilteredExecutions(handle, filter, order, { ...page, limit });
  const backwards = { ...order, descending: !order.descending };
  return (await listFilteredExecutions(handle, filter, backwards, { limit, offset: fromEnd })).reverse();
}

/** The order of an export: a long history comes by opening where no index has the order that is asked for. */
export async function exportOrder(
  handle: Handle,
  filter: ExecutionFilter,
  order: ExecutionOrder,
  most = MOST_FIGURED,
): Promise<ExecutionOrder> {
  if (isIndexed(order)) return order;
  const { since } = await newestPositions(handle, filter, most);
  return since === null ? order : { sort: "opened_at", descending: true };
}
