import { and, desc, eq, gt, sql } from "drizzle-orm";
import type { Handle, Transaction } from "@/db/client";
import { executionChanges, executions, rejectedReports } from "@/db/schema";
import { DAY_MS } from "@/lib/time";
import type { Side } from "@/lib/vocabulary";

export interface OpenExecution {
  subscriptionId: number;
  ticket: bigint;
  predId: number | null;
  symbol: string;
  symbolSent: string;
  timeframe: string;
  signal: Side;
  confidence: number | null;
  /** null: now, by the database's clock. */
  openedAt: Date | null;
  closedAt: Date | null;
  entryPrice: string | null;
  exitPrice: string | null;
  pnl: string | null;
  result: string | null;
  clockSuspect: boolean;
}

/** Inserts a first report. Returns its id, or null when the subscription has reported this ticket before. */
export async function insertExecution(tx: Transaction, row: OpenExecution): Promise<number | null> {
  const [inserted] = await tx
    .insert(executions)
    .values({
      ...row,
      openedAt: row.openedAt ?? sql`now()`,
      // An id that names no signal is stored as none.
      predId: row.predId === null ? null : sql`(select id from signals where id = ${row.predId})`,
    })
    .onConflictDoNothing({ target: [executions.subscriptionId, executions.ticket] })
    .returning({ id: executions.id });
  return inserted?.id ?? null;
}

/** The stored row of a ticket of this subscription, locked until the transaction ends; null when there is none. */
export async function lockExecution(tx: Transaction, subscriptionId: number, ticket: bigint) {
  const [row] = await tx
    .select()
    .from(executions)
    .where(and(eq(executions.subscriptionId, subscriptionId), eq(executions.ticket, ticket)))
    .for("update");
  return row ?? null;
}

/** The fields that a repeated report may write. */
export interface ExecutionChange {
  closedAt?: Date | null;
  exitPrice?: string | null;
  pnl?: string | null;
  result?: string | null;
}

/** Writes the new values and the audit row with the former ones. */
export async function updateExecution(
  tx: Transaction,
  executionId: number,
  change: { before: ExecutionChange; after: ExecutionChange; keyId: number; requestId: string },
): Promise<void> {
  await tx
    .update(executions)
    .set({ ...change.after, updatedAt: sql`now()` })
    .where(eq(executions.id, executionId));
  await tx.insert(executionChanges).values({ executionId, ...change });
}

/** Keeps a refused report with its reason for the subscriber to see. */
export async function insertRejectedReport(
  handle: Handle,
  row: typeof rejectedReports.$inferInsert,
): Promise<void> {
  await handle.insert(rejectedReports).values(row);
}

export interface ListedExecution {
  executionId: number;
  ticket: bigint;
  symbol: string;
  timeframe: string;
  signal: Side;
  confidence: number | null;
  openedAt: Date;
  closedAt: Date | null;
  entryPrice: string | null;
  exitPrice: string | null;
  pnl: string | null;
  result: string | null;
}

/** A subscription's executions opened after `since`, newest opening first: one stretch of their index. */
export async function listExecutions(
  handle: Handle,
  subscriptionId: number,
  wanted: { since: Date; limit: number },
): Promise<ListedExecution[]> {
  return handle
    .select({
      executionId: executions.id,
      ticket: executions.ticket,
      symbol: executions.symbol,
      timeframe: executions.timeframe,
      signal: executions.signal,
      confidence: executions.confidence,
      openedAt: executions.openedAt,
      closedAt: executions.closedAt,
      entryPrice: executions.entryPrice,
      exitPrice: executions.exitPrice,
      pnl: executions.pnl,
      result: executions.result,
    })
    .from(executions)
    .where(and(eq(executions.subscriptionId, subscriptionId), gt(executions.openedAt, wanted.since)))
    .orderBy(desc(executions.openedAt), desc(executions.id))
    .limit(wanted.limit);
}

export interface ExecutionTotals {
  nTotal: number;
  nClosed: number;
  nWins: number;
  nLosses: number;
  /** Exact sums, as decimal text. */
  grossProfit: string;
  grossLoss: string;
  totalPnl: string;
}

/**
 * Totals over a subscription's executions opened after `since`. Whole days come from their totals and the day of `since`
 * from its executions. Money is summed as numeric, exactly.
 */
export async function sumExecutions(
  handle: Handle,
  subscriptionId: number,
  since: Date,
): Promise<ExecutionTotals> {
  const nextDay = new Date(Math.floor(since.getTime() / DAY_MS + 1) * DAY_MS).toISOString();
  const [row] = await handle.execute<{
    n_total: number;
    n_closed: number;
    n_wins: number;
    n_losses: number;
    gross_profit: string;
    gross_loss: string;
    total_pnl: string;
  }>(sql`
    select coalesce(sum(n_total), 0)::int as n_total, coalesce(sum(n_closed), 0)::int as n_closed,
           coalesce(sum(n_wins), 0)::int as n_wins, coalesce(sum(n_losses), 0)::int as n_losses,
           coalesce(sum(gross_profit), 0)::text as gross_profit, coalesce(sum(gross_loss), 0)::text as gross_loss,
           coalesce(sum(gross_profit) - sum(gross_loss), 0)::text as total_pnl
      from (
        select n_total, n_closed, n_wins, n_losses, gross_profit, gross_loss
          from execution_days
         where subscription_id = ${subscriptionId} and day >= ${nextDay.slice(0, 10)}::date
        union all
        select count(*)::int, count(closed_at)::int,
               count(*) filter (where closed_at is not null and pnl > 0)::int,
               count(*) filter (where closed_at is not null and pnl < 0)::int,
               coalesce(sum(pnl) filter (where closed_at is not null and pnl > 0), 0),
               coalesce(-sum(pnl) filter (where closed_at is not null and pnl < 0), 0)
          from executions
         where subscription_id = ${subscriptionId}
           and opened_at > ${since.toISOString()}::timestamptz and opened_at < ${nextDay}::timestamptz
      ) parts`);
  return {
    nTotal: row?.n_total ?? 0,
    nClosed: row?.n_closed ?? 0,
    nWins: row?.n_wins ?? 0,
    nLosses: row?.n_losses ?? 0,
    grossProfit: row?.gross_profit ?? "0",
    grossLoss: row?.gross_loss ?? "0",
    totalPnl: row?.total_pnl ?? "0",
  };
}
