import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import type { NotTradedReason, Timeframe } from "@/lib/vocabulary";
import { columns, number, type Row, safeInteger, text, timestamp } from "./columns";

const SIGNAL_SLOT = columns({
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  closesAt: timestamp("g.closes_at"),
});

/** Slot and candle close of a BUY or SELL signal by its id; null: unknown, or NO_TRADE. */
export async function findSlotOfSignal(
  handle: DatabaseHandle,
  signalId: number,
): Promise<Row<typeof SIGNAL_SLOT> | null> {
  return SIGNAL_SLOT.first(
    handle,
    sql`
    select ${SIGNAL_SLOT.list} from signals g join slots s on s.id = g.slot_id
     where g.id = ${signalId} and g.signal <> 'NO_TRADE'`,
  );
}

export interface NotTradedSignal {
  subscriptionId: number;
  signalId: number;
  /** Name of the terminal that did not trade the signal; empty: it sent no name. */
  terminal: string;
  reason: NotTradedReason;
  errorCode: number | null;
}

/** Stores why a terminal did not trade a signal. Returns true if it is new, false if it replaced an earlier reason. */
export async function writeNotTradedSignal(handle: DatabaseHandle, row: NotTradedSignal): Promise<boolean> {
  const [written] = await handle.execute<{ is_new: boolean }>(sql`
    insert into untraded_signals as u (subscription_id, signal_id, terminal, reason, error_code)
    values (${row.subscriptionId}, ${row.signalId}, ${row.terminal}, ${row.reason}, ${row.errorCode})
    on conflict (subscription_id, signal_id, terminal) do update set
      reason = excluded.reason, error_code = excluded.error_code, at = now()
    returning xmax = 0 as is_new`);
  return written?.is_new === true;
}

const NOT_TRADED = columns({
  signalId: safeInteger("u.signal_id"),
  reason: text<NotTradedReason>("u.reason"),
  errorCode: number<number | null>("u.error_code"),
  at: timestamp("u.at"),
});
/** Why a trading client did not trade a signal. */
export type StoredNotTradedReport = Row<typeof NOT_TRADED>;

/** By signal id: the newest reason, from any terminal, why a signal was not traded. Only reports after `since`. */
export async function listNotTradedReports(
  handle: DatabaseHandle,
  subscriptionId: number,
  since: Date,
): Promise<Map<number, StoredNotTradedReport>> {
  const rows = await NOT_TRADED.all(
    handle,
    sql`select distinct on (u.signal_id) ${NOT_TRADED.list} from untraded_signals u
         where u.subscription_id = ${subscriptionId} and u.at > ${since.toISOString()}::timestamptz
         order by u.signal_id, u.at desc, u.terminal`,
  );
  return new Map(rows.map((row) => [row.signalId, row]));
}
