import type { Handle } from "@/db/client";
import {
  type ExecutionFilter,
  type ExecutionOrder,
  type ExecutionPlace,
  type ExecutionRow,
  listFilteredExecutions,
} from "@/db/queries/portal-executions";
import { type CsvCell, csvRecord } from "@/lib/wire/csv";

const ROWS_PER_PAGE = 500;

/** Columns by name, in order: the words of the interface. */
const COLUMNS: readonly [string, (row: ExecutionRow) => CsvCell][] = [
  ["exec_id", (row) => ({ number: row.executionId })],
  ["ticket", (row) => ({ number: row.ticket })],
  ["symbol", (row) => ({ text: row.symbol })],
  ["symbol_sent", (row) => ({ text: row.symbolSent })],
  ["timeframe", (row) => ({ text: row.timeframe })],
  ["signal", (row) => ({ text: row.signal })],
  ["confidence", (row) => ({ number: row.confidence })],
  ["opened_at", (row) => ({ at: row.openedAt })],
  ["closed_at", (row) => ({ at: row.closedAt })],
  ["entry_price", (row) => ({ number: row.entryPrice })],
  ["exit_price", (row) => ({ number: row.exitPrice })],
  ["pnl", (row) => ({ number: row.pnl })],
  ["result", (row) => ({ text: row.result })],
];

/** The filtered executions as CSV, page by page in their order; the first chunk is the header. */
export async function* csvOfExecutions(
  handle: Handle,
  filter: ExecutionFilter,
  order: ExecutionOrder,
): AsyncGenerator<string, void> {
  yield csvRecord(COLUMNS.map(([name]) => ({ text: name })));
  let after: ExecutionPlace | undefined;
  for (;;) {
    const rows = await listFilteredExecutions(handle, filter, order, { limit: ROWS_PER_PAGE, after });
    if (rows.length > 0) yield rows.map((row) => csvRecord(COLUMNS.map(([, cell]) => cell(row)))).join("");
    if (rows.length < ROWS_PER_PAGE) return;
    after = rows.at(-1)?.place;
  }
}
