import { type SQL, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import type { Direction } from "@/lib/vocabulary";
import { boolean, columns, number, type Row, safeInteger, text, timestamp, timestampOrNull } from "./columns";

/** Resolved signals of one slot, by the open time of their candles: a range of `signals_slot_ts_model`. */
export interface TesterPeriod {
  slotId: number;
  /** Candles that opened at or after `from` and before `to`. */
  from: Date;
  to: Date;
}

/** An in-time signal was decided when it was created; a late one counts as decided at its candle's close. */
const DECIDED = sql`case when coalesce(l.in_time, false) then greatest(g.created_at, g.closes_at) else g.closes_at end`;

const resolvedIn = ({ slotId, from, to }: TesterPeriod): SQL => sql`
  from signals g join ledger_signals l on l.signal_id = g.id
 where g.slot_id = ${slotId} and g.ts >= ${from.toISOString()}::timestamptz and g.ts < ${to.toISOString()}::timestamptz
   and l.outcome is not null`;

const EXTENT = columns({
  n: number("count(*)::int"),
  nInTime: number("(count(*) filter (where l.in_time))::int"),
  first: timestampOrNull("min(g.ts)"),
  last: timestampOrNull("max(g.ts)"),
});

/** Number of decisions in a period, and its first and last candle. */
export async function countDecisions(handle: Handle, stretch: TesterPeriod): Promise<Row<typeof EXTENT>> {
  return EXTENT.one(handle, sql`select ${EXTENT.list} ${resolvedIn(stretch)}`);
}

const DECISION = columns({
  id: safeInteger("g.id"),
  seq: safeInteger("g.seq"),
  ts: timestamp("g.ts"),
  decidedAt: timestamp(DECIDED),
  signal: text<Direction>("g.signal"),
  confidence: number("g.confidence"),
  expectedRr: number("g.expected_rr"),
  inTime: boolean("coalesce(l.in_time, false)"),
});
export type Decision = Row<typeof DECISION>;

/** The decisions of the next candles of a period: all of each candle, the earliest first. */
export async function listDecisions(
  handle: Handle,
  stretch: TesterPeriod,
  limit: number,
): Promise<Decision[]> {
  return DECISION.all(
    handle,
    sql`
    select ${DECISION.list} ${resolvedIn(stretch)}
     order by g.ts fetch first ${limit} rows with ties`,
  ).then((rows) => rows.toSorted((a, b) => +a.ts - +b.ts || +a.decidedAt - +b.decidedAt || a.seq - b.seq));
}
