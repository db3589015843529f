import type { PublicSignals, ResolvedSignal } from "@/lib/wire/contracts/record";
import { type CsvCell, csvNumber, csvRecord, csvText, csvTime } from "@/lib/wire/csv";
import { writeJson } from "@/lib/wire/json";

/** A page of signals as a line of JSON each. */
export const signalLines = ({ items }: PublicSignals): string =>
  items.map((item) => `${writeJson(item)}\n`).join("");

/** A page of signals as a table; the entries in the ledger are columns of their own. Pages after the first go on without a header. */
export function signalTable({ items }: PublicSignals, isFirst = true): string {
  const rows = items.map(({ entries, ...signal }) => ({
    ...signal,
    commitment_entry: entries.commitment,
    reveal_entry: entries.reveal,
    outcome_entry: entries.outcome,
  }));
  const header = isFirst ? csvRecord(COLUMNS.map((name) => csvText(name))) : "";
  return header + rows.map((row) => csvRecord(COLUMNS.map((name) => cellOf(row[name])))).join("");
}

type TableRow = Omit<ResolvedSignal, "entries"> &
  Record<"commitment_entry" | "reveal_entry" | "outcome_entry", number | null>;

const COLUMNS = [
  "seq",
  "symbol",
  "timeframe",
  "ts",
  "model_v",
  "signal",
  "confidence",
  "prob_buy",
  "prob_sell",
  "prob_no",
  "regime",
  "expected_rr",
  "created_at",
  "simulated",
  "entered_later",
  "label",
  "entry_price",
  "barrier_distance",
  "buy_r",
  "sell_r",
  "result_r",
  "exit_price",
  "exit_reason",
  "ended_at",
  "commitment_entry",
  "reveal_entry",
  "outcome_entry",
] as const satisfies readonly (keyof TableRow)[];

function cellOf(value: string | number | boolean | Date | null): CsvCell {
  if (value instanceof Date) return csvTime(value);
  return typeof value === "number" ? csvNumber(value) : csvText(value === null ? null : String(value));
}
