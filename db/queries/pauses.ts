import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import type { Timeframe } from "@/lib/vocabulary";
import { columns, number, type Row, text, timestamp, timestampOrNull } from "./columns";

/** What the operator paused: one slot, every slot of a symbol (`timeframe` null), or every slot (both null). */
export interface PauseTarget {
  symbol: string | null;
  timeframe: Timeframe | null;
}

/** SQL condition: the pause `p` covers the slot of this symbol and timeframe. */
export const pauseCovers = (symbol: SQL, timeframe: SQL): SQL =>
  sql`(p.symbol is null or p.symbol = ${symbol}) and (p.timeframe is null or p.timeframe = ${timeframe})`;

/** SQL condition: the slot `s` is paused by the operator now. */
export const IS_PAUSED_SLOT = sql`exists (
  select 1 from pauses p where p.ended_at is null and ${pauseCovers(sql`s.symbol`, sql`s.timeframe`)})`;

/**
 * SQL condition: the signal `g` of the slot `s` was created during a pause. Such a signal is never pushed to receivers.
 */
export const WAS_CREATED_IN_PAUSE = sql`exists (
  select 1 from pauses p
   where ${pauseCovers(sql`s.symbol`, sql`s.timeframe`)}
     and g.created_at >= p.started_at and (p.ended_at is null or g.created_at < p.ended_at))`;

/**
 * SQL condition: the signal `g` was not created during a pause that still lasts, so lists may contain it. Written as a
 * comparison with a scalar, so that PostgreSQL keeps the order of the index.
 */
export const IS_NOT_FROM_OPEN_PAUSE = sql`not coalesce(g.created_at >= (
  select min(p.started_at) from pauses p join slots q on q.id = g.slot_id
   where p.ended_at is null and ${pauseCovers(sql`q.symbol`, sql`q.timeframe`)}), false)`;

const PAUSE = columns({
  id: number("p.id"),
  symbol: text<string | null>("p.symbol"),
  timeframe: text<Timeframe | null>("p.timeframe"),
  reason: text("p.reason"),
  startedAt: timestamp("p.started_at"),
  until: timestampOrNull("p.until"),
  endedAt: timestampOrNull("p.ended_at"),
});
export type Pause = Row<typeof PAUSE>;

/** The operator's current pauses, newest first. */
export async function listOpenPauses(handle: DatabaseHandle): Promise<Pause[]> {
  return PAUSE.all(
    handle,
    sql`select ${PAUSE.list} from pauses p where p.ended_at is null order by p.started_at desc, p.id desc`,
  );
}

/** The operator's newest ended pauses, of all slots or those that cover one slot. */
export async function listPastPauses(
  handle: DatabaseHandle,
  { slot, limit }: { slot?: { symbol: string; timeframe: string }; limit: number },
): Promise<Pause[]> {
  const which = slot ? sql`and ${pauseCovers(sql`${slot.symbol}`, sql`${slot.timeframe}`)}` : sql``;
  return PAUSE.all(
    handle,
    sql`select ${PAUSE.list} from pauses p where p.ended_at is not null ${which}
         order by p.started_at desc limit ${limit}`,
  );
}

/** Starts a pause of the operator; returns its id, or null if this target is already paused. */
export async function insertPause(
  tx: Transaction,
  pause: PauseTarget & { reason: string; until: Date | null; by: string },
): Promise<number | null> {
  const [row] = await tx.execute<{ id: number }>(sql`
    insert into pauses (symbol, timeframe, reason, started_at, until, started_by)
    values (${pause.symbol}, ${pause.timeframe}, ${pause.reason}, clock_timestamp(),
            ${pause.until?.toISOString() ?? null}::timestamptz, ${pause.by})
    on conflict do nothing returning id`);
  return row?.id ?? null;
}

/** Ends one of the operator's current pauses and returns it; null: no such current pause. */
export async function closePause(tx: Transaction, id: number, by: string): Promise<Pause | null> {
  return PAUSE.first(
    tx,
    sql`with p as (
      update pauses set ended_at = clock_timestamp(), ended_by = ${by} where id = ${id} and ended_at is null returning *)
    select ${PAUSE.list} from p`,
  );
}

/** Ids of current pauses whose planned end has passed. */
export async function listPausesToEnd(handle: DatabaseHandle): Promise<number[]> {
  const rows = await handle.execute<{ id: number }>(
    sql`select id from pauses where ended_at is null and until <= clock_timestamp() order by id`,
  );
  return rows.map(({ id }) => id);
}

/** SQL: the current pauses as one JSON array, for statements that need them from the same snapshot as their rows. */
export const OPEN_PAUSES = sql`(
  select coalesce(jsonb_agg(jsonb_build_object(
           'id', p.id, 'symbol', p.symbol, 'timeframe', p.timeframe, 'reason', p.reason,
           'startedMs', extract(epoch from p.started_at) * 1000, 'untilMs', extract(epoch from p.until) * 1000)
         order by p.started_at desc, p.id desc), '[]')
    from pauses p where p.ended_at is null)`;

/** An element of the array OPEN_PAUSES. */
export interface OpenPause extends PauseTarget {
  id: number;
  reason: string;
  startedMs: number;
  untilMs: number | null;
}
