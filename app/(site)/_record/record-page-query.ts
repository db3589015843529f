import { z } from "zod";
import { formatMonth } from "@/app/_components/times";
import { compareSlots } from "@/lib/market/slot-order";
import { addDays, DAY_MS } from "@/lib/time";
import { RecordQuery, type RecordSlot } from "@/lib/wire/contracts/record";
import {
  choiceFilter,
  optionalFilter,
  symbolOrTimeframeFilter,
  textFilter,
  toQuery,
} from "@/lib/wire/query-filter";

/** Sort orders of the slot list: the label of each, and its default direction. */
export const SLOT_SORT_ORDERS = {
  slot: { words: "Slot", first: "asc" },
  followed: { words: "Trades", first: "desc" },
  win: { words: "Win rate", first: "desc" },
  mean: { words: "Mean result", first: "desc" },
  total: { words: "Total", first: "desc" },
  coin: { words: "Ahead of the coin", first: "desc" },
  drawdown: { words: "Deepest drawdown", first: "desc" },
  skill: { words: "Skill", first: "desc" },
} as const;
export type SlotSortOrder = keyof typeof SLOT_SORT_ORDERS;
type Order = "asc" | "desc";

/** Sort orders of the list of last trades. The default, newest first, is not among them. */
const TRADE_ORDERS = ["slot", "held", "best", "worst"] as const;
export type TradeOrder = (typeof TRADE_ORDERS)[number];

/** Named periods in days. A month such as `2026-11` is a period too. */
export const RECORD_PERIODS = { "30": "Last 30 days", "90": "Last 90 days", "365": "Last 365 days" } as const;

const Period = optionalFilter(z.string().regex(/^(?:30|90|365|20\d{2}-(?:0[1-9]|1[0-2]))$/));

const RecordPageQuery = z.object({
  symbol: symbolOrTimeframeFilter,
  tf: symbolOrTimeframeFilter,
  model: textFilter(100),
  period: Period,
  // `Object.keys` returns `string[]`; the keys of SLOT_SORT_ORDERS are its orders.
  sort: choiceFilter(Object.keys(SLOT_SORT_ORDERS) as SlotSortOrder[]),
  order: choiceFilter(["asc", "desc"]),
  table: choiceFilter(["equity", "drawdown"]),
  trades: choiceFilter(TRADE_ORDERS),
  list: choiceFilter(["later"]),
});

/** The parsed query of a page of the record. */
export type RecordPageQuery = z.output<typeof RecordPageQuery>;
export const parseRecordPageQuery = (given: unknown): RecordPageQuery => RecordPageQuery.parse(given);

/** The query parameters of a record page with these filters. */
export const recordPageQueryParams = (shown: Partial<RecordPageQuery>) => toQuery(shown);

const isoDay = (at: Date): string => at.toISOString().slice(0, 10);

/** First and last UTC day of a period. Without a period the result is empty: the whole record. */
function daysOf(period: string | undefined, now: Date): { from?: string; to?: string } {
  if (period === undefined) return {};
  if (!period.includes("-")) return { from: isoDay(addDays(now, 1 - Number(period))) };
  const next = new Date(`${period}-01T00:00:00Z`);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return { from: `${period}-01`, to: isoDay(new Date(next.getTime() - DAY_MS)) };
}

/** Converts a page's query to a query of the record; null if a parameter is invalid, such as an unknown timeframe. */
export function toRecordQuery(shown: RecordPageQuery, now: Date): RecordQuery | null {
  const parsed = RecordQuery.safeParse({
    symbol: shown.symbol,
    tf_code: shown.tf,
    model_v: shown.model,
    ...daysOf(shown.period, now),
  });
  return parsed.success ? parsed.data : null;
}

/** A period in words, such as `Last 30 days` or `November 2026`. */
export function formatPeriod(period: string | undefined): string {
  if (period === undefined) return "All time";
  const named = Object.entries(RECORD_PERIODS).find(([days]) => days === period);
  if (named) return named[1];
  return formatMonth(new Date(`${period}-01T00:00:00Z`));
}

const VALUE: Record<Exclude<SlotSortOrder, "slot">, (slot: RecordSlot) => number | null> = {
  followed: (slot) => slot.model.n,
  win: (slot) => slot.model.win_rate_pct,
  mean: (slot) => slot.model.expectancy_r,
  // Without trades there is no total.
  total: (slot) => (slot.model.n === 0 ? null : slot.model.total_r),
  coin: (slot) => (slot.model.n === 0 ? null : slot.model.total_r - slot.coin.total_r),
  drawdown: (slot) => (slot.model.n === 0 ? null : slot.model.max_drawdown_r),
  skill: (slot) => slot.forecasts.skill,
};

const bySymbol = (a: RecordSlot, b: RecordSlot) =>
  compareSlots({ symbol: a.symbol, timeframe: a.tf_code }, { symbol: b.symbol, timeframe: b.tf_code });

/** Sorts slots by a figure. Slots without that figure come last in either direction. */
export function sortSlots(
  slots: readonly RecordSlot[],
  sort: SlotSortOrder = "slot",
  order: Order = SLOT_SORT_ORDERS[sort].first,
): RecordSlot[] {
  const sign = order === "asc" ? 1 : -1;
  if (sort === "slot") return slots.toSorted((a, b) => sign * bySymbol(a, b));
  const valueBy = VALUE[sort];
  return slots.toSorted((a, b) => {
    const [x, y] = [valueBy(a), valueBy(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null) || bySymbol(a, b);
    return sign * (x - y) || bySymbol(a, b);
  });
}
