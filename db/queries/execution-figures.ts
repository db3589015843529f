import { and, eq, gte, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { executions, rejectedReports } from "@/db/schema";
import type { Side } from "@/lib/vocabulary";
import { epochMs, toInstant, toInstantOrNull } from "./instants";

/** Which executions of one subscription are meant. Everything but the owner is optional. */
export interface ExecutionFilter {
  subscriptionId: number;
  /** Opened at or after. */
  from?: Date | undefined;
  /** Opened before. */
  to?: Date | undefined;
  /** Closed at or after. */
  closedFrom?: Date | undefined;
  /** Closed on this day of a wall clock, `2026-11-21`. */
  closedOn?: { day: string; clock: WallClock } | undefined;
  symbol?: string | undefined;
  timeframe?: string | undefined;
  signal?: "BUY" | "SELL" | undefined;
  result?: string | undefined;
  state?: "open" | "closed" | undefined;
  outcome?: "win" | "loss" | undefined;
}

/** A wall clock for grouping: see `Clock`. */
export interface WallClock {
  zone: string;
  addMinutes: number;
}

const wallTimeOfClose = (clock: WallClock): SQL =>
  sql`((closed_at at time zone ${clock.zone}) + make_interval(mins => ${clock.addMinutes}))`;

function conditionOf(filter: ExecutionFilter): SQL {
  const condition = and(
    eq(executions.subscriptionId, filter.subscriptionId),
    filter.from && gte(executions.openedAt, filter.from),
    filter.to && lt(executions.openedAt, filter.to),
    filter.closedOn && sql`${wallTimeOfClose(filter.closedOn.clock)}::date = ${filter.closedOn.day}::date`,
    filter.closedFrom && gte(executions.closedAt, filter.closedFrom),
    filter.symbol ? eq(executions.symbol, filter.symbol) : undefined,
    filter.timeframe ? eq(executions.timeframe, filter.timeframe) : undefined,
    filter.signal && eq(executions.signal, filter.signal),
    filter.result ? eq(executions.result, filter.result) : undefined,
    filter.state === "open" ? isNull(executions.closedAt) : undefined,
    filter.state === "closed" ? isNotNull(executions.closedAt) : undefined,
    filter.outcome === "win" ? sql`${executions.closedAt} is not null and ${executions.pnl} > 0` : undefined,
    filter.outcome === "loss" ? sql`${executions.closedAt} is not null and ${executions.pnl} < 0` : undefined,
  );
  if (!condition) throw new Error("a filter always names its owner");
  return condition;
}

/** Sums of closed positions, exact: amounts are decimal text as PostgreSQL's numeric wrote them. */
export interface ExecutionSums {
  nTotal: number;
  nOpen: number;
  nClosed: number;
  /** Closed without a P/L: they count in none of the amounts. */
  nWithoutPnl: number;
  nWins: number;
  nLosses: number;
  nFlat: number;
  grossProfit: string;
  grossLoss: string;
  totalPnl: string;
  bestPnl: string | null;
  worstPnl: string | null;
  /** Deepest fall of the running sum, in order of closing, below its highest value so far (0 at the start). */
  maxDrawdown: string;
  longestWinRun: number;
  longestLossRun: number;
  bestRunPnl: string | null;
  worstRunPnl: string | null;
  firstOpenedAt: Date | null;
  lastClosedAt: Date | null;
}

/** Everything about the filtered executions that is a sum, a maximum or a run, in one statement. */
export async function sumFilteredExecutions(handle: Handle, filter: ExecutionFilter): Promise<ExecutionSums> {
  const [row] = await handle.execute<{
    n_total: number;
    n_open: number;
    n_closed: number;
    n_without_pnl: number;
    n_wins: number;
    n_losses: number;
    n_flat: number;
    gross_profit: string;
    gross_loss: string;
    total_pnl: string;
    best_pnl: string | null;
    worst_pnl: string | null;
    max_drawdown: string;
    longest_win_run: number;
    longest_loss_run: number;
    best_run_pnl: string | null;
    worst_run_pnl: string | null;
    first_opened_ms: string | null;
    last_closed_ms: string | null;
  }>(sql`
    with wanted as (
      select id, opened_at, closed_at, pnl from ${executions} where ${conditionOf(filter)}
    ), closed as (
      select id, closed_at, pnl, sum(pnl) over in_order as running,
             row_number() over in_order - row_number() over (partition by sign(pnl) order by closed_at, id) as island
        from wanted where closed_at is not null and pnl is not null
      window in_order as (order by closed_at, id)
    ), peaks as (
      select greatest(0, max(running) over (order by closed_at, id)) - running as below_peak from closed
    ), runs as (
      select sign(pnl) as side, count(*)::int as n, sum(pnl) as pnl from closed where pnl <> 0 group by sign(pnl), island
    )
    select count(*)::int as n_total,
           count(*) filter (where closed_at is null)::int as n_open,
           count(closed_at)::int as n_closed,
           count(*) filter (where closed_at is not null and pnl is null)::int as n_without_pnl,
           count(*) filter (where closed_at is not null and pnl > 0)::int as n_wins,
           count(*) filter (where closed_at is not null and pnl < 0)::int as n_losses,
           count(*) filter (where closed_at is not null and pnl = 0)::int as n_flat,
           coalesce(sum(pnl) filter (where closed_at is not null and pnl > 0), 0)::text as gross_profit,
           coalesce(-sum(pnl) filter (where closed_at is not null and pnl < 0), 0)::text as gross_loss,
           coalesce(sum(pnl) filter (where closed_at is not null), 0)::text as total_pnl,
           (max(pnl) filter (where closed_at is not null))::text as best_pnl,
           (min(pnl) filter (where closed_at is not null))::text as worst_pnl,
           coalesce((select max(below_peak) from peaks), 0)::text as max_drawdown,
           coalesce((select max(n) from runs where side > 0), 0) as longest_win_run,
           coalesce((select max(n) from runs where side < 0), 0) as longest_loss_run,
           (select max(pnl) from runs where side > 0)::text as best_run_pnl,
           (select min(pnl) from runs where side < 0)::text as worst_run_pnl,
           ${epochMs("min(opened_at)")} as first_opened_ms,
           ${epochMs("max(closed_at)")} as last_closed_ms
      from wanted`);
  if (!row) throw new Error("an aggregate without a row");
  return {
    nTotal: row.n_total,
    nOpen: row.n_open,
    nClosed: row.n_closed,
    nWithoutPnl: row.n_without_pnl,
    nWins: row.n_wins,
    nLosses: row.n_losses,
    nFlat: row.n_flat,
    grossProfit: row.gross_profit,
    grossLoss: row.gross_loss,
    totalPnl: row.total_pnl,
    bestPnl: row.best_pnl,
    worstPnl: row.worst_pnl,
    maxDrawdown: row.max_drawdown,
    longestWinRun: row.longest_win_run,
    longestLossRun: row.longest_loss_run,
    bestRunPnl: row.best_run_pnl,
    worstRunPnl: row.worst_run_pnl,
    firstOpenedAt: toInstantOrNull(row.first_opened_ms),
    lastClosedAt: toInstantOrNull(row.last_closed_ms),
  };
}

/** One closed position in order of closing, with the running sum after it. */
export interface ClosedResult {
  openedAt: Date;
  closedAt: Date;
  pnl: string;
  running: string;
}

/** Closed positions with a P/L in order of closing. The running sum is exact. */
export async function listClosedResults(handle: Handle, filter: ExecutionFilter): Promise<ClosedResult[]> {
  const rows = await handle.execute<{
    opened_ms: string;
    closed_ms: string;
    pnl: string;
    running: string;
  }>(sql`
    select ${epochMs("opened_at")} as opened_ms, ${epochMs("closed_at")} as closed_ms,
           pnl::text, (sum(pnl) over (order by closed_at, id))::text as running
      from ${executions}
     where ${conditionOf({ ...filter, state: "closed" })} and pnl is not null
     order by closed_at, id`);
  return rows.map((row) => ({
    openedAt: toInstant(row.opened_ms),
    closedAt: toInstant(row.closed_ms),
    pnl: row.pnl,
    running: row.running,
  }));
}

/** What closed positions can be grouped by; the last four are read on the subscriber's clock, at the close. */
export type ExecutionGrouping = "symbol" | "timeframe" | "hour" | "weekday" | "month" | "day";

export interface ExecutionGroup {
  /** Symbol or timeframe; `0`..`23`; `1` (Monday)..`7`; `2026-11`; `2026-11-21`. */
  key: string;
  n: number;
  nWins: number;
  nLosses: number;
  totalPnl: string;
}

/** Closed positions with a P/L in groups, by key. */
export async function groupExecutions(
  handle: Handle,
  filter: ExecutionFilter,
  by: ExecutionGrouping,
  clock: WallClock,
): Promise<ExecutionGroup[]> {
  const wall = wallTimeOfClose(clock);
  const keys: Record<ExecutionGrouping, SQL> = {
    symbol: sql`symbol`,
    timeframe: sql`timeframe`,
    hour: sql`extract(hour from ${wall})::int::text`,
    weekday: sql`extract(isodow from ${wall})::int::text`,
    month: sql`to_char(${wall}, 'YYYY-MM')`,
    day: sql`to_char(${wall}, 'YYYY-MM-DD')`,
  };
  const rows = await handle.execute<{
    key: string;
    n: number;
    n_wins: number;
    n_losses: number;
    total_pnl: string;
  }>(sql`
    select key, count(*)::int as n, count(*) filter (where pnl > 0)::int as n_wins,
           count(*) filter (where pnl < 0)::int as n_losses, sum(pnl)::text as total_pnl
      from (select ${keys[by]} as key, pnl from ${executions}
             where ${conditionOf({ ...filter, state: "closed" })} and pnl is not null) grouped
     group by key order by key`);
  return rows.map((row) => ({
    key: row.key,
    n: row.n,
    nWins: row.n_wins,
    nLosses: row.n_losses,
    totalPnl: row.total_pnl,
  }));
}

export const EXECUTION_SORTS = ["opened_at", "closed_at", "symbol", "pnl", "ticket"] as const;
export type ExecutionSort = (typeof EXECUTION_SORTS)[number];

export interface ExecutionOrder {
  sort: ExecutionSort;
  descending: boolean;
}

/** Open positions sort as closed in the far future and as without any result, so that no row lacks a place. */
const SORT_KEYS: Record<ExecutionSort, { key: SQL; cast: SQL }> = {
  opened_at: { key: sql`opened_at`, cast: sql`timestamptz` },
  closed_at: { key: sql`coalesce(closed_at, 'infinity')`, cast: sql`timestamptz` },
  symbol: { key: sql`symbol`, cast: sql`text` },
  pnl: { key: sql`coalesce(pnl, '-infinity'::numeric)`, cast: sql`numeric` },
  ticket: { key: sql`ticket`, cast: sql`bigint` },
};

/** One execution as lists and exports show it. Numbers are decimal text, the ticket all its digits. */
export interface ExecutionRow {
  executionId: number;
  ticket: string;
  symbol: string;
  symbolSent: string;
  timeframe: string;
  signal: Side;
  confidence: number | null;
  openedAt: Date;
  closedAt: Date | null;
  entryPrice: string | null;
  exitPrice: string | null;
  pnl: string | null;
  result: string | null;
  clockSuspect: boolean;
  /** Names the row's place in its order; the next page begins after it. */
  place: ExecutionPlace;
}

export interface ExecutionPlace {
  key: string;
  executionId: number;
}

/** A stretch of the filtered list: after a place, or after an offset. */
export async function listFilteredExecutions(
  handle: Handle,
  filter: ExecutionFilter,
  order: ExecutionOrder,
  page: { limit: number; offset?: number; after?: ExecutionPlace | undefined },
): Promise<ExecutionRow[]> {
  const { key, cast } = SORT_KEYS[order.sort];
  const direction = order.descending ? sql`desc` : sql`asc`;
  const after = page.after
    ? sql`and (${key}, id) ${order.descending ? sql`<` : sql`>`} (${page.after.key}::${cast}, ${page.after.executionId})`
    : sql``;
  const rows = await handle.execute<{
    id: string;
    ticket: string;
    symbol: string;
    symbol_sent: string;
    timeframe: string;
    signal: Side;
    confidence: number | null;
    opened_ms: string;
    closed_ms: string | null;
    entry_price: string | null;
    exit_price: string | null;
    pnl: string | null;
    result: string | null;
    clock_suspect: boolean;
    place: string;
  }>(sql`
    select id, ticket::text, symbol, symbol_sent, timeframe, signal, confidence,
           ${epochMs("opened_at")} as opened_ms, ${epochMs("closed_at")} as closed_ms,
           entry_price::text, exit_price::text, pnl::text, result, clock_suspect, (${key})::text as place
      from ${executions}
     where ${conditionOf(filter)} ${after}
     order by ${key} ${direction}, id ${direction}
     limit ${page.limit} offset ${page.offset ?? 0}`);
  return rows.map((row) => ({
    executionId: Number(row.id),
    ticket: row.ticket,
    symbol: row.symbol,
    symbolSent: row.symbol_sent,
    timeframe: row.timeframe,
    signal: row.signal,
    confidence: row.confidence,
    openedAt: toInstant(row.opened_ms),
    closedAt: toInstantOrNull(row.closed_ms),
    entryPrice: row.entry_price,
    exitPrice: row.exit_price,
    pnl: row.pnl,
    result: row.result,
    clockSuspect: row.clock_suspect,
    place: { key: row.place, executionId: Number(row.id) },
  }));
}

/** What the filters of the list can be set to: values that this subscription has reported. */
export async function listExecutionValues(handle: Handle, subscriptionId: number) {
  const [row] = await handle.execute<{ symbols: string[]; timeframes: string[]; results: string[] }>(sql`
    select coalesce(array_agg(distinct symbol order by symbol), '{}') as symbols,
           coalesce(array_agg(distinct timeframe order by timeframe), '{}') as timeframes,
           coalesce(array_agg(distinct result order by result) filter (where result is not null), '{}') as results
      from ${executions} where subscription_id = ${subscriptionId}`);
  return { symbols: row?.symbols ?? [], timeframes: row?.timeframes ?? [], results: row?.results ?? [] };
}

/** The newest reports that were refused, with their reasons. */
export async function listRejectedReports(handle: Handle, subscriptionId: number, limit: number) {
  return handle
    .select({
      id: rejectedReports.id,
      code: rejectedReports.code,
      errors: rejectedReports.errors,
      bodyExcerpt: rejectedReports.bodyExcerpt,
      requestId: rejectedReports.requestId,
      at: rejectedReports.at,
    })
    .from(rejectedReports)
    .where(eq(rejectedReports.subscriptionId, subscriptionId))
    .orderBy(sql`${rejectedReports.at} desc`)
    .limit(limit);
}
