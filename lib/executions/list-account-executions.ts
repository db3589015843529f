import type { z } from "zod";
import { db } from "@/db/client";
import { type ExecutionTotals, sumExecutions, sumVolumeAndCosts } from "@/db/queries/execution-figures";
import { listExecutions, type Execution as StoredExecution } from "@/db/queries/executions";
import { addDays } from "@/lib/time";
import type { AccountExecutions, Execution, ExecutionSummary } from "@/lib/wire/contracts/executions";
import { roundProbability } from "@/lib/wire/contracts/shared";
import { roundFigure } from "@/lib/wire/round";

type Answered = z.output<typeof AccountExecutions>;
type Item = z.output<typeof Execution>;
type Summary = z.output<typeof ExecutionSummary>;

/**
 * The newest `limit` executions of a subscription that opened in the last `days` days, and totals over all executions
 * of these days. `expand` adds volume, costs and other details, which the specification of the API does not have.
 */
export async function listAccountExecutions(
  subscriptionId: number,
  wanted: { days: number; limit: number; expand?: "details" | undefined },
  now: Date,
): Promise<Answered> {
  const since = addDays(now, -wanted.days);
  // Not from the replica: a client must find an execution that it has just reported.
  const database = db("heavy");
  const [rows, totals, sums] = await Promise.all([
    listExecutions(database, subscriptionId, { since, limit: wanted.limit }),
    sumExecutions(database, subscriptionId, since),
    wanted.expand === undefined ? [] : sumVolumeAndCosts(database, { subscriptionId, after: since }),
  ]);
  const summary = { days: wanted.days, ...summaryOf(totals) };
  if (wanted.expand === undefined) return { executions: rows.map(executionItem), summary };
  return {
    executions: rows.map((row) => ({
      ...executionItem(row),
      volume: numberOrNull(row.volume),
      commission: numberOrNull(row.commission),
      swap: numberOrNull(row.swap),
      currency: row.currency,
      magic: row.magic,
      comment: row.comment,
    })),
    summary: {
      ...summary,
      details: sums.map(({ currency, n, volume, commission, swap }) => ({
        currency,
        n,
        volume: numberOrNull(volume),
        commission: numberOrNull(commission),
        swap: numberOrNull(swap),
      })),
    },
  };
}

function executionItem(row: StoredExecution): Item {
  return {
    exec_id: row.executionId,
    ticket: BigInt(row.ticket),
    symbol: row.symbol,
    timeframe: row.timeframe,
    signal: row.signal,
    confidence: row.confidence === null ? null : roundProbability(row.confidence),
    opened_at: row.openedAt,
    closed_at: row.closedAt,
    entry_price: numberOrNull(row.entryPrice),
    exit_price: numberOrNull(row.exitPrice),
    pnl: numberOrNull(row.pnl),
    result: row.result,
  };
}

function summaryOf(totals: ExecutionTotals): Omit<Summary, "days"> {
  const grossProfit = Number(totals.grossProfit);
  const grossLoss = Number(totals.grossLoss);
  const decided = totals.nWins + totals.nLosses;
  return {
    n_total: totals.nTotal,
    n_closed: totals.nClosed,
    n_wins: totals.nWins,
    n_losses: totals.nLosses,
    win_rate_pct: decided === 0 ? 0 : roundFigure((100 * totals.nWins) / decided),
    profit_factor: grossLoss === 0 ? null : roundFigure(grossProfit / grossLoss),
    total_pnl: Number(totals.totalPnl),
    gross_profit: grossProfit,
    gross_loss: grossLoss,
  };
}

/** Decimal text of the database as the nearest double. */
function numberOrNull(text: string | null): number | null {
  return text === null ? null : Number(text);
}
