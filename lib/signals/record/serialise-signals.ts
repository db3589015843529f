import type { PublicSignals, ResolvedSignal } from "@/lib/wire/contracts/record";
import { type CsvCell, csvNumber, csvRecord, csvText, csvTime } from "@/lib/wire/csv";
import { writeJson } from "@/lib/wire/json";

/** A page of signals as NDJSON. */
export const signalsToNdjson = ({ items }: PublicSignals): string =>
  items.map((item) => `${writeJson(item)}\n`).join("");

/** A page of signals as CSV, with the index of each ledger entry in a column. Only the first page has a header. */
export function signalsToCsv({ items }: PublicSignals, isFirst = true): string {
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

/** Columns in order. A field without a column does not compile. */
const COLUMNS = Object.keys({
  seq: true,
  symbol: true,
  timeframe: true,
  ts: true,
  model_v: true,
  signal: true,
  confidence: true,
  prob_buy: true,
  prob_sell: true,
  prob_no: true,
  regime: true,
  expected_rr: true,
  created_at: true,
  simulated: true,
  entered_later: true,
  label: true,
  entry_price: true,
  barrier_distance: true,
  buy_r: true,
  sell_r: true,
  result_r: true,
  exit_price: true,
  exit_reason: true,
  ended_at: true,
  commitment_entry: true,
  reveal_entry: true,
  outcome_entry: true,
  stop: true,
  target: true,
  horizon_candles: true,
  rule: true,
} satisfies Record<keyof TableRow, true>) as (keyof TableRow)[];

function cellOf(value: string | number | boolean | Date | null | undefined): CsvCell {
  if (value instanceof Date) return csvTime(value);
  return typeof value === "number" ? csvNumber(value) : csvText(value == null ? null : String(value));
}
