import type { DatabaseHandle } from "@/db/client";
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

/** Columns of the export, named like the fields of the API. A field with null has no column. */
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

/** The columns of the operator's export: also the subscription, after the id, but without the symbol as it was sent. */
const EVERY_COLUMN: CsvColumns<ExecutionWithSubscriptionId> = {
  executionId: COLUMNS.executionId,
  subscriptionId: ["subscriber_id", csvNumber],
  ...withoutId(COLUMNS),
  symbolSent: null,
};

function withoutId({ executionId, ...rest }: CsvColumns<Execution>) {
  return rest;
}

/** The executions that match a filter as CSV, in the given order. */
export function csvOfExecutions(
  handle: DatabaseHandle,
  filter: ExecutionFilter,
  order: ExecutionOrder,
  reader: CsvTarget,
): AsyncGenerator<string, void> {
  return csvOf<Execution>(COLUMNS, filteredExecutionPages(handle, filter, order), reader);
}

/** Executions of every subscription as CSV, by id. */
export function csvOfEveryExecution(handle: DatabaseHandle, reader: CsvTarget): AsyncGenerator<string, void> {
  const pages = pagesById(
    (page) => listExecutionsForExport(handle, page),
    (row) => row.executionId,
  );
  return csvOf(EVERY_COLUMN, pages, reader);
}
