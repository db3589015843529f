import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import type { Direction } from "@/lib/vocabulary";
import { boolean, columns, number, type Row, safeInteger, text, timestamp, timestampOrNull } from "./columns";

/** A period of one slot's signals for the strategy tester, by the open time of their candles. */
export interface TesterPeriod {
  slotId: number;
  /** The candles opened at or after `from` and before `to`. */
  from: Date;
  to: Date;
}

/**
 * SQL: when a signal was decided. For a signal that was committed in time this is its creation, at the earliest the close of
 * its candle; for any other signal it is the close of its candle.
 */
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

/**
 * Number of resolved signals in a period, and of those committed in time, with the open times of the first and the last
 * candle that has a resolved signal.
 */
export async function countTesterDecisions(
  handle: DatabaseHandle,
  stretch: TesterPeriod,
): Promise<Row<typeof EXTENT>> {
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
export type TesterDecision = Row<typeof DECISION>;

/** The first `limit` resolved signals of a period, and any others of the last one's candle, in order of candle and decision. */
export async function listTesterDecisions(
  handle: DatabaseHandle,
  stretch: TesterPeriod,
  limit: number,
): Promise<TesterDecision[]> {
  return DECISION.all(
    handle,
    sql`
    select ${DECISION.list} ${resolvedIn(stretch)}
     order by g.ts fetch first ${limit} rows with ties`,
  ).then((rows) => rows.toSorted((a, b) => +a.ts - +b.ts || +a.decidedAt - +b.decidedAt || a.seq - b.seq));
}
