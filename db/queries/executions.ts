import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { executions } from "@/db/schema";
import type { Side } from "@/lib/vocabulary";
import {
  boolean,
  columns,
  decimal,
  number,
  type Row,
  safeInteger,
  safeIntegerOrNull,
  text,
  textArray,
  timestamp,
  timestampOrNull,
} from "./columns";
import { type ExecutionFilter, executionConditions } from "./execution-filter";
import { type ExportPage, pagesAfter, type ReadNextRows } from "./export-pages";

/** Columns of the table that are not in EXECUTION. */
type Unlisted = "id" | "subscriptionId" | "predId" | "createdAt" | "updatedAt";
type Listed = Exclude<keyof typeof executions.$inferSelect, Unlisted> | "executionId";

/** Columns of an execution for lists, exports and pages. Prices, amounts and the ticket are exact decimal text. */
const EXECUTION = {
  executionId: safeInteger("executions.id"),
  ticket: decimal("executions.ticket"),
  symbol: text("executions.symbol"),
  symbolSent: text("executions.symbol_sent"),
  timeframe: text("executions.timeframe"),
  signal: text<Side>("executions.signal"),
  confidence: number<number | null>("executions.confidence"),
  openedAt: timestamp("executions.opened_at"),
  closedAt: timestampOrNull("executions.closed_at"),
  entryPrice: decimal<string | null>("executions.entry_price"),
  exitPrice: decimal<string | null>("executions.exit_price"),
  pnl: decimal<string | null>("executions.pnl"),
  result: text<string | null>("executions.result"),
  clockSuspect: boolean("executions.clock_suspect"),
  volume: decimal<string | null>("executions.volume"),
  commission: decimal<string | null>("executions.commission"),
  swap: decimal<string | null>("executions.swap"),
  currency: text<string | null>("executions.currency"),
  magic: decimal<string | null>("executions.magic"),
  comment: text<string | null>("executions.comment"),
  terminal: text<string | null>("executions.terminal"),
} satisfies Record<Listed, unknown>;

const OWN_EXECUTION = columns(EXECUTION);
export type Execution = Row<typeof OWN_EXECUTION>;

/** A subscription's executions opened after `since`, newest opening first. Reads one range of an index. */
export async function listExecutions(
  handle: DatabaseHandle,
  subscriptionId: number,
  wanted: { since: Date; limit: number },
): Promise<Execution[]> {
  return OWN_EXECUTION.all(
    handle,
    sql`select ${OWN_EXECUTION.list} from executions
         where subscription_id = ${subscriptionId} and opened_at > ${wanted.since.toISOString()}::timestamptz
         order by opened_at desc, id desc limit ${wanted.limit}`,
  );
}

const ONE_EXECUTION = columns({ ...EXECUTION, predId: safeIntegerOrNull("executions.pred_id") });
/** One execution, with the id of the signal that its report named; null: it named none, or none that is stored. */
export type ExecutionWithSignalId = Row<typeof ONE_EXECUTION>;

/** An execution of this subscription by its id; null: none. */
export async function findExecution(
  handle: DatabaseHandle,
  subscriptionId: number,
  executionId: number,
): Promise<ExecutionWithSignalId | null> {
  return ONE_EXECUTION.first(
    handle,
    sql`select ${ONE_EXECUTION.list} from executions where id = ${executionId} and subscription_id = ${subscriptionId}`,
  );
}

const ANY_EXECUTION = columns({ ...EXECUTION, subscriptionId: number("executions.subscription_id") });
export type ExecutionWithSubscriptionId = Row<typeof ANY_EXECUTION>;

/** A page of the executions of all subscriptions, for the operator's export. */
export async function listExecutionsForExport(
  handle: DatabaseHandle,
  { afterId, limit }: ExportPage,
): Promise<ExecutionWithSubscriptionId[]> {
  return ANY_EXECUTION.all(
    handle,
    sql`select ${ANY_EXECUTION.list} from executions where id > ${afterId} order by id limit ${limit}`,
  );
}

export const EXECUTION_SORTS = ["opened_at", "closed_at", "symbol", "pnl", "ticket"] as const;
export type ExecutionSort = (typeof EXECUTION_SORTS)[number];

export interface ExecutionOrder {
  sort: ExecutionSort;
  descending: boolean;
}

/** Sort keys. Missing values are replaced, so that every row has one: open positions sort as closed in the far future. */
const SORT_KEYS: Record<ExecutionSort, { key: SQL; cast: SQL }> = {
  opened_at: { key: sql`executions.opened_at`, cast: sql`timestamptz` },
  closed_at: { key: sql`coalesce(executions.closed_at, 'infinity')`, cast: sql`timestamptz` },
  symbol: { key: sql`executions.symbol`, cast: sql`text` },
  // The P/L of a position that is still open is shown as unknown.
  pnl: {
    key: sql`coalesce(case when executions.closed_at is not null then executions.pnl end, '-infinity'::numeric)`,
    cast: sql`numeric`,
  },
  ticket: { key: sql`executions.ticket`, cast: sql`bigint` },
};

export interface ExecutionCursor {
  key: string;
  executionId: number;
}

/** An execution of a list, and the cursor with which the list's next page begins after it. */
export interface ExecutionWithCursor extends Execution {
  cursor: ExecutionCursor;
}

/** A page of the filtered and sorted executions: after a cursor, or after `offset` executions. */
export async function listFilteredExecutions(
  handle: DatabaseHandle,
  filter: ExecutionFilter,
  order: ExecutionOrder,
  page: { limit: number; offset?: number; after?: ExecutionCursor | undefined },
): Promise<ExecutionWithCursor[]> {
  const { key, cast } = SORT_KEYS[order.sort];
  const direction = order.descending ? sql`desc` : sql`asc`;
  const after = page.after
    ? sql`and (${key}, id) ${order.descending ? sql`<` : sql`>`} (${page.after.key}::${cast}, ${page.after.executionId})`
    : sql``;
  const placed = columns({ ...EXECUTION, cursorKey: text(sql`(${key})::text`) });
  const rows = await placed.all(
    handle,
    sql`
    select ${placed.list}
      from ${executions}
     where ${executionConditions(filter)} ${after}
     order by ${key} ${direction}, id ${direction}
     limit ${page.limit} offset ${page.offset ?? 0}`,
  );
  return rows.map(({ cursorKey, ...row }) => ({
    ...row,
    cursor: { key: cursorKey, executionId: row.executionId },
  }));
}

/** Reads all filtered executions in this order, page by page. */
export function filteredExecutionPages(
  handle: DatabaseHandle,
  filter: ExecutionFilter,
  order: ExecutionOrder,
): ReadNextRows<ExecutionWithCursor> {
  return pagesAfter(
    (after: ExecutionCursor | undefined, limit) =>
      listFilteredExecutions(handle, filter, order, { limit, after }),
    ({ cursor }) => cursor,
  );
}

const VALUES = columns({
  symbols: textArray("coalesce(array_agg(distinct symbol order by symbol), '{}')"),
  timeframes: textArray("coalesce(array_agg(distinct timeframe order by timeframe), '{}')"),
  results: textArray(
    "coalesce(array_agg(distinct result order by result) filter (where result is not null), '{}')",
  ),
  /** The reported currencies, the most frequent first. */
  currencies: textArray(
    `array(select currency from newest where currency is not null group by 1 order by count(*) desc, 1)`,
  ),
});

/** Number of newest positions that are scanned for filter values. */
const LOOKED_AT_FOR_VALUES = 5_000;

/** The symbols, timeframes, results and currencies of a subscription's 5,000 newest executions, as choices for a filter. */
export async function listExecutionFilterValues(
  handle: DatabaseHandle,
  subscriptionId: number,
): Promise<Row<typeof VALUES>> {
  return VALUES.one(
    handle,
    sql`
    with newest as (
      select symbol, timeframe, result, currency from ${executions} where subscription_id = ${subscriptionId}
       order by opened_at desc, id desc limit ${LOOKED_AT_FOR_VALUES})
    select ${VALUES.list} from newest`,
  );
}
