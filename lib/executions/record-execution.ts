import type { Database } from "@/db/client";
import {
  changeExecution,
  type ExecutionChange,
  findExecutionByTicket,
  insertExecution,
  type NewExecution,
} from "@/db/queries/execution-reports";
import { matchBrokerSymbol } from "@/lib/market/symbols";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { DeadlineError } from "@/lib/runtime/unavailable";
import { type AppError, type FieldError, invalidField, validationFailedError } from "@/lib/wire/errors";
import { type ExecutionReport, isClosedBeforeOpening } from "@/lib/wire/execution-report";
import { requireClosingReport } from "./close-only-window";
import type { Reporter } from "./reporter";

export interface RecordedExecution {
  action: "created" | "updated";
  executionId: number;
  /** Set if the report names another symbol or direction than the stored position. It is accepted all the same. */
  contradiction: PositionContradiction | null;
}

/** A ticket, and its position as it is stored and as a later report names it, such as `EURUSD BUY`. */
export interface PositionContradiction {
  ticket: string;
  stored: string;
  reported: string;
}

/** Maximum number of attempts to record a report if concurrent reports of the same ticket change the row meanwhile. */
const MAX_ATTEMPTS = 20;

/**
 * Records one report. The database allows one row per subscription and ticket. A repeated report writes only its new
 * values, never sets one to null, and the former values are kept in `execution_changes`. Each statement is a
 * transaction. Throws validation_failed, key_expired or key_suspended for a report that is not accepted, and
 * DeadlineError after too many conflicts with concurrent reports.
 */
export async function recordExecution(
  database: Database,
  reporter: Reporter,
  report: ExecutionReport,
  knownSymbols: ReadonlySet<string>,
): Promise<RecordedExecution> {
  const opening = reporter.closeOnly ? null : openingOf(reporter, report, knownSymbols);
  // Openings are usually new tickets and closings known ones: the more likely statement runs first.
  let isNew = report.saysOpen;
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const executionId = opening && isNew && (await insertExecution(database, opening));
    if (executionId) return { action: "created", executionId, contradiction: null };
    const stored = await findExecutionByTicket(database, reporter.subscriptionId, report.ticket);
    if (reporter.closeOnly) requireClosingReport(reporter.closeOnly, report, stored?.createdAt ?? null);
    isNew = stored === null;
    if (stored === null) {
      if (opening === null) throw missingForFirstReport(report);
      continue;
    }
    requireSamePosition(stored, report, reporter.terminal ?? null, knownSymbols);
    const change = changeOf(stored, report);
    const { keyId, requestId } = reporter;
    const closedAt = report.closedAt ?? stored.closedAt;
    const clockSuspect =
      stored.clockSuspect || (closedAt !== null && isClosedBeforeOpening(closedAt, stored.openedAt));
    if (
      change === null ||
      (await changeExecution(database, stored, { ...change, clockSuspect, keyId, requestId }))
    )
      return {
        action: "updated",
        executionId: stored.id,
        contradiction: contradictionOf(stored, report, knownSymbols),
      };
  }
  throw new DeadlineError();
}

/** The row for this report, or null if it lacks a field that a first report needs. */
function openingOf(
  reporter: Reporter,
  report: ExecutionReport,
  knownSymbols: ReadonlySet<string>,
): NewExecution | null {
  const { symbol, timeframe, signal, saysOpen, ...said } = report;
  if (symbol === null || timeframe === null || signal === null) return null;
  return {
    ...said,
    subscriptionId: reporter.subscriptionId,
    terminal: reporter.terminal ?? null,
    symbol: symbolOf(symbol, knownSymbols),
    symbolSent: symbol,
    timeframe,
    signal,
  };
}

/** Our symbol for a broker's name; an unknown name in capitals. */
const symbolOf = (sent: string, knownSymbols: ReadonlySet<string>): string =>
  matchBrokerSymbol(sent, knownSymbols, settingsCache().now.aliases) ?? sent.toUpperCase();

type StoredExecution = NonNullable<Awaited<ReturnType<typeof findExecutionByTicket>>>;

/**
 * Throws validation_failed if a report from another terminal does not have the symbol of the stored position, or
 * neither its opening time nor its entry price: two accounts may issue the same ticket number. The name of the same
 * terminal changes when a broker renames its server.
 */
function requireSamePosition(
  stored: StoredExecution,
  report: ExecutionReport,
  terminal: string | null,
  knownSymbols: ReadonlySet<string>,
): void {
  if (stored.terminal === null || terminal === null || stored.terminal === terminal) return;
  const sameOpening = report.openedAt?.getTime() === stored.openedAt.getTime();
  // Clients send 0 for an unknown price.
  const samePrice = Number(report.entryPrice) !== 0 && sameDecimal(report.entryPrice, stored.entryPrice);
  // The EA kit sends the broker's symbol until its first poll, and ours afterwards.
  const sameSymbol = report.symbol !== null && symbolOf(report.symbol, knownSymbols) === stored.symbol;
  if (sameSymbol && (sameOpening || samePrice)) return;
  throw invalidField(
    "body",
    "ticket",
    "is the ticket of a position that another terminal of this key reported; to change that position, send its symbol and its opened_at or entry_price",
  );
}

/** How the report contradicts the stored position; null: it does not. Only the ticket identifies a position. */
function contradictionOf(
  stored: StoredExecution,
  { ticket, symbol, signal }: ExecutionReport,
  knownSymbols: ReadonlySet<string>,
): PositionContradiction | null {
  const named = symbol === null || symbol === stored.symbolSent ? null : symbolOf(symbol, knownSymbols);
  const reported = `${named ?? stored.symbol} ${signal ?? stored.signal}`;
  const held = `${stored.symbol} ${stored.signal}`;
  return reported === held ? null : { ticket: String(ticket), stored: held, reported };
}

/** Changes of the stored position by a report, with former and new values; null: none. */
function changeOf(
  stored: StoredExecution,
  report: ExecutionReport,
): Record<"before" | "after", ExecutionChange> | null {
  // An "open" report that arrives late must not reopen or change a closed position.
  if (stored.closedAt !== null && report.saysOpen) return null;

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
  return Object.keys(after).length > 0 ? { before, after } : null;
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
  return validationFailedError(errors);
}
