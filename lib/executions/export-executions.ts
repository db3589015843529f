import type { Handle } from "@/db/client";
import type { ExecutionFilter } from "@/db/queries/execution-filter";
import {
  type Execution,
  type ExecutionOrder,
  type ExecutionWithSubscriptionId,
  filteredExecutionPages,
  listExecutionsForExport,
} from "@/db/queries/executions";
import { pagesById } from "@/db/queries/export-pages";
import {
  type CsvColumns,
  type CsvTarget,
  csvDigits,
  csvNumber,
  csvOf,
  csvText,
  csvTime,
} from "@/lib/wire/csv";

/** Column names are the field names of the interface. */
const COLUMNS: CsvColumns<Execution> = {
  executionId: ["exec_id", csvNumber],
  ticket: ["ticket", csvDigits],
  symbol: ["symbol", csvText],
  symbolSent: ["symbol_sent", csvText],
  timeframe: ["timeframe", csvText],
  signal: ["signal", csvText],
  confidence: ["confidence", csvNumber],
  openedAt: ["opened_at", csvTime],
  closedAt: ["closed_at", csvTime],
  entryPrice: ["entry_price", csvNumber],
  exitPrice: ["exit_price", csvNumber],
  pnl: ["pnl", csvNumber],
  result: ["result", csvText],
  clockSuspect: null,
  volume: ["volume", csvNumber],
  commission: ["commission", csvNumber],
  swap: ["swap", csvNumber],
  currency: ["currency", csvText],
  magic: ["magic", csvDigits],
  comment: ["comment", csvText],
  terminal: null,
};

/** The operator's columns: also the subscription, after the id, and the symbol as this service spells it. */
const EVERY_COLUMN: CsvColumns<ExecutionWithSubscriptionId> = {
  executionId: COLUMNS.executionId,
  subscriptionId: ["subscriber_id", csvNumber],
  ...withoutId(COLUMNS),
  symbolSent: null,
};

function withoutId({ executionId, ...rest }: CsvColumns<Execution>) {
  return rest;
}

/** The filtered executions as CSV, in their order. */
export function csvOfExecutions(
  handle: Handle,
  filter: ExecutionFilter,
  order: ExecutionOrder,
  reader: CsvTarget,
): AsyncGenerator<string, void> {
  return csvOf<Execution>(COLUMNS, filteredExecutionPages(handle, filter, order), reader);
}

/** Executions of every subscription as CSV, by id. */
export function csvOfEveryExecution(handle: Handle, reader: CsvTarget): AsyncGenerator<string, void> {
  const pages = pagesById(
    (page) => listExecutionsForExport(handle, page),
    (row) => row.executionId,
  );
  return csvOf(EVERY_COLUMN, pages, reader);
}
