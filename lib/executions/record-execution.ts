import type { Database, Transaction } from "@/db/client";
import {
  type ExecutionChange,
  insertExecution,
  lockExecution,
  type OpenExecution,
  updateExecution,
} from "@/db/queries/execution-reports";
import { matchBrokerSymbol } from "@/lib/market/symbols";
import { operated } from "@/lib/runtime/operated";
import { type AppError, type FieldError, validationFailed } from "@/lib/wire/errors";
import type { ExecutionReport } from "@/lib/wire/execution-report";
import { requireClosing } from "./closing-window";
import type { Reporter } from "./reporter";

export interface RecordedExecution {
  action: "created" | "updated";
  executionId: number;
}

/**
 * Records one report. The database allows one row per subscription and ticket. A repeated report writes only its new
 * values, never sets one to null, and the audit keeps the former ones.
 */
export async function recordExecution(
  database: Database,
  reporter: Reporter,
  report: ExecutionReport,
  knownSymbols: ReadonlySet<string>,
): Promise<RecordedExecution> {
  if (!reporter.closeOnly) {
    const opening = openingOf(reporter, report, knownSymbols);
    // One statement, which is a transaction by itself: one way to the database and back instead of three.
    const executionId = opening && (await insertExecution(database, opening));
    if (executionId) return { action: "created", executionId };
  }
  return database.transaction((tx) => repeatExecution(tx, reporter, report));
}

/** The row that this report would make, or null when it lacks what a first report needs. */
function openingOf(
  reporter: Reporter,
  report: ExecutionReport,
  knownSymbols: ReadonlySet<string>,
): OpenExecution | null {
  const { symbol, timeframe, signal, saysOpen, ...said } = report;
  if (symbol === null || timeframe === null || signal === null) return null;
  return {
    ...said,
    subscriptionId: reporter.subscriptionId,
    symbol: matchBrokerSymbol(symbol, knownSymbols, operated().now.aliases) ?? symbol.toUpperCase(),
    symbolSent: symbol,
    timeframe,
    signal,
  };
}

async function repeatExecution(
  tx: Transaction,
  reporter: Reporter,
  report: ExecutionReport,
): Promise<RecordedExecution> {
  const stored = await lockExecution(tx, reporter.subscriptionId, report.ticket);
  if (reporter.closeOnly) requireClosing(reporter.closeOnly, report, stored?.createdAt ?? null);
  if (!stored) throw missingForFirstReport(report);
  // decision 6: an "open" report that arrives late must not reopen or change a closed position.
  if (stored.closedAt !== null && report.saysOpen) return { action: "updated", executionId: stored.id };

  const before: ExecutionChange = {};
  const after: ExecutionChange = {};
  const note = <K extends keyof ExecutionChange>(
    name: K,
    value: ExecutionChange[K] | null,
    same: boolean,
  ) => {
    if (value === null || value === undefined || same) return;
    before[name] = stored[name];
    after[name] = value;
  };
  note("closedAt", report.closedAt, report.closedAt?.getTime() === stored.closedAt?.getTime());
  note("exitPrice", report.exitPrice, sameDecimal(report.exitPrice, stored.exitPrice));
  note("pnl", report.pnl, sameDecimal(report.pnl, stored.pnl));
  note("result", report.result, report.result === stored.result);
  note("volume", report.volume, sameDecimal(report.volume, stored.volume));
  note("commission", report.commission, sameDecimal(report.commission, stored.commission));
  note("swap", report.swap, sameDecimal(report.swap, stored.swap));
  note("currency", report.currency, report.currency === stored.currency);
  note("magic", report.magic, report.magic === stored.magic);
  note("comment", report.comment, report.comment === stored.comment);
  if (Object.keys(after).length > 0) {
    await updateExecution(tx, stored.id, {
      before,
      after,
      keyId: reporter.keyId,
      requestId: reporter.requestId,
    });
  }
  return { action: "updated", executionId: stored.id };
}

function sameDecimal(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && (a === b || Number(a) === Number(b));
}

function missingForFirstReport(report: ExecutionReport): AppError {
  const errors: FieldError[] = (["symbol", "timeframe", "signal"] as const)
    .filter((name) => report[name] === null)
    .map((name) => ({
      loc: ["body", name],
      msg: "is required for the first report of a ticket",
      type: "missing",
    }));
  return validationFailed(errors);
}
