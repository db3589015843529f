import type { z } from "zod";
import { type ExecutionTotals, sumExecutions } from "@/db/queries/execution-figures";
import { type Execution, listExecutions } from "@/db/queries/executions";
import { readAtReplica } from "@/db/replica";
import { addDays } from "@/lib/time";
import type { AccountExecutions } from "@/lib/wire/contracts/executions";
import { roundProbability } from "@/lib/wire/contracts/shared";
import { roundFigure } from "@/lib/wire/round";

type Answered = z.output<typeof AccountExecutions>;

/** A subscription's executions opened in the last days, the newest `limit` of them, and totals over all of them. */
export async function listAccountExecutions(
  subscriptionId: number,
  wanted: { days: number; limit: number },
  now: Date,
): Promise<Answered> {
  const since = addDays(now, -wanted.days);
  const [rows, totals] = await readAtReplica((database) =>
    Promise.all([
      listExecutions(database, subscriptionId, { since, limit: wanted.limit }),
      sumExecutions(database, subscriptionId, since),
    ]),
  );
  return { executions: rows.map(executionItem), summary: { days: wanted.days, ...summaryOf(totals) } };
}

function executionItem(row: Execution): Answered["executions"][number] {
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

function summaryOf(totals: ExecutionTotals): Omit<Answered["summary"], "days"> {
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

/** Decimal text of the database as the nearest double, whose shortest form shows the same digits. */
function numberOrNull(text: string | null): number | null {
  return text === null ? null : Number(text);
}
