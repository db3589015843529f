import { type SQL, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { epochMs, toInstant } from "./instants";
import {
  SIGNAL_CONTENT,
  type SignalContent,
  type SignalContentColumns,
  type SignalDirection,
  toSignalContent,
} from "./signals";

/** Which signals are meant: the reader's scope and, inside of it, what was asked for. */
export interface SignalFilter {
  /** null: every symbol. */
  symbolsInScope: readonly string[] | null;
  timeframesInScope: readonly string[] | null;
  /** Candles closed at or after. */
  since: Date;
  symbol?: string | undefined;
  timeframe?: string | undefined;
  direction?: SignalDirection | undefined;
  minConfidence?: number | undefined;
  includeNoTrade: boolean;
}

export interface SignalHistoryRow extends SignalContent {
  predId: number;
  symbol: string;
  timeframe: string;
  closesAt: Date;
  /** Result in R of following it, costs deducted; null for NO_TRADE and while it is open. */
  resultR: number | null;
  resolved: boolean;
}

/** The words of a list, as one parameter. */
const words = (values: readonly string[]): SQL =>
  sql`(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`;

function conditionOf(filter: SignalFilter): SQL {
  const conditions = [sql`g.closes_at >= ${filter.since.toISOString()}::timestamptz`];
  if (filter.symbolsInScope) conditions.push(sql`s.symbol in ${words(filter.symbolsInScope)}`);
  if (filter.timeframesInScope) conditions.push(sql`s.timeframe in ${words(filter.timeframesInScope)}`);
  if (filter.symbol) conditions.push(sql`s.symbol = ${filter.symbol}`);
  if (filter.timeframe) conditions.push(sql`s.timeframe = ${filter.timeframe}`);
  if (filter.direction) conditions.push(sql`g.signal = ${filter.direction}`);
  else if (!filter.includeNoTrade) conditions.push(sql`g.signal <> 'NO_TRADE'`);
  if (filter.minConfidence !== undefined) conditions.push(sql`g.confidence >= ${filter.minConfidence}`);
  return sql.join(conditions, sql` and `);
}

/** Signals in scope, newest close first. */
export async function listSignalHistory(
  handle: Handle,
  filter: SignalFilter,
  page: { limit: number; offset: number },
): Promise<SignalHistoryRow[]> {
  return rowsOf(
    await handle.execute<RawSignal>(sql`
      select ${COLUMNS} from signals g join slots s on s.id = g.slot_id left join outcomes o on o.signal_id = g.id
       where ${conditionOf(filter)}
       order by g.closes_at desc, g.id desc limit ${page.limit} offset ${page.offset}`),
  );
}

/** How many signals the filter matches, counted up to `most`: further pages are never asked for. */
export async function countSignalHistory(
  handle: Handle,
  filter: SignalFilter,
  most: number,
): Promise<number> {
  const [row] = await handle.execute<{ n: number }>(sql`
    select count(*)::int as n from (
      select 1 from signals g join slots s on s.id = g.slot_id where ${conditionOf(filter)} limit ${most}) counted`);
  return row?.n ?? 0;
}

/** The newest signals of one slot with their probabilities and results, newest first. */
export async function listSlotSignalDetails(
  handle: Handle,
  slotId: number,
  limit: number,
): Promise<SignalHistoryRow[]> {
  return rowsOf(
    await handle.execute<RawSignal>(sql`
      select ${COLUMNS} from signals g join slots s on s.id = g.slot_id left join outcomes o on o.signal_id = g.id
       where g.slot_id = ${slotId} order by g.ts desc, g.created_at desc, g.id desc limit ${limit}`),
  );
}

/** How many signals of each direction in scope closed since an instant. */
export async function countSignalsByDirection(
  handle: Handle,
  scope: Pick<SignalFilter, "symbolsInScope" | "timeframesInScope" | "since">,
): Promise<Record<SignalDirection, number>> {
  const rows = await handle.execute<{ signal: SignalDirection; n: number }>(sql`
    select g.signal, count(*)::int as n from signals g join slots s on s.id = g.slot_id
     where ${conditionOf({ ...scope, includeNoTrade: true })} group by g.signal`);
  const counts: Record<SignalDirection, number> = { BUY: 0, SELL: 0, NO_TRADE: 0 };
  for (const row of rows) counts[row.signal] = row.n;
  return counts;
}

const COLUMNS = sql`g.id, s.symbol, s.timeframe, ${SIGNAL_CONTENT}, ${epochMs("g.closes_at")} as closes_ms, o.result_r,
  o.signal_id is not null as resolved`;

type RawSignal = SignalContentColumns & {
  id: string;
  symbol: string;
  timeframe: string;
  closes_ms: string;
  result_r: number | null;
  resolved: boolean;
};

function rowsOf(rows: Iterable<RawSignal>): SignalHistoryRow[] {
  return Array.from(rows, (row) => ({
    predId: Number(row.id),
    symbol: row.symbol,
    timeframe: row.timeframe,
    ...toSignalContent(row),
    closesAt: toInstant(row.closes_ms),
    resultR: row.result_r,
    resolved: row.resolved,
  }));
}
