import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { epochMs } from "./columns";
import { array } from "./parameters";

export interface CandleRow {
  slotId: number;
  ts: Date;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number | null;
  /**
   * Close time. If it is in the future, the candle settles {@link SETTLE_SECONDS} after it. Missing: the candle has
   * closed.
   */
  closesAt?: Date;
}

/**
 * Seconds from the close of a candle that was stored while open until signals and outcomes use it. So a sender whose
 * clock is ahead, and whose closed candles look open, gets each signal one minute late instead of one candle late.
 */
const SETTLE_SECONDS = 60;

/** SQL condition: the candle is settled: it was stored after its close, or its close is SETTLE_SECONDS ago. */
export const IS_SETTLED_CANDLE = sql`(settles_at is null or settles_at <= now())`;

/**
 * Stores candles and replaces changed ones. Returns the number of new or changed ones; a candle that was stored while
 * open and is sent again closed counts as changed. `rows` must contain each (slot, ts) once. If a new candle belongs to a
 * day whose coverage by signals was counted, the slot's coverage will be counted again from that day.
 */
export async function upsertCandles(handle: DatabaseHandle, rows: CandleRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const sorted = rows.toSorted((a, b) => a.slotId - b.slotId || a.ts.getTime() - b.ts.getTime());
  const slotIds = sorted.map((row) => row.slotId);
  const numbers = (pick: (row: CandleRow) => number | null) => array(sorted.map(pick), "float8");
  const [result] = await handle.execute<{ n: number }>(sql`
    with written as (
      insert into candles as c (slot_id, ts, open, high, low, close, volume, settles_at)
      select slot_id, to_timestamp(ts_ms / 1000.0), open, high, low, close, volume,
             case when closes_ms > ${epochMs("now()")}
                  then to_timestamp(closes_ms / 1000.0 + ${SETTLE_SECONDS}) end
        from unnest(${array(slotIds, "int")}, ${numbers((row) => row.ts.getTime())}, ${numbers((row) => row.open)},
                    ${numbers((row) => row.high)}, ${numbers((row) => row.low)}, ${numbers((row) => row.close)},
                    ${numbers((row) => row.volume)}, ${numbers((row) => row.closesAt?.getTime() ?? null)})
          as t(slot_id, ts_ms, open, high, low, close, volume, closes_ms)
       order by 1, 2
      on conflict (slot_id, ts) do update
        set open = excluded.open, high = excluded.high, low = excluded.low, close = excluded.close,
            volume = excluded.volume, settles_at = excluded.settles_at
      where (c.open, c.high, c.low, c.close, c.volume, c.settles_at)
         is distinct from (excluded.open, excluded.high, excluded.low, excluded.close, excluded.volume, excluded.settles_at)
      returning slot_id, ts, xmax = 0 as is_new),
    late as (
      select slot_id, min(ts) as ts from written where is_new group by slot_id),
    counted as (
      select r.slot_id, (late.ts at time zone 'UTC')::date as day from record_slots r join late using (slot_id)
       where late.ts >= r.offered_from and (late.ts at time zone 'UTC')::date < r.counted_on
       order by r.slot_id for update of r),
    uncounted as (
      update record_slots r set counted_on = counted.day from counted where counted.slot_id = r.slot_id)
    select count(*)::int as n from written`);
  return result?.n ?? 0;
}

/** Stores flat candles of a closed market, in `idle_candles`. Returns the number of new or changed ones. */
export async function upsertIdleCandles(handle: DatabaseHandle, rows: CandleRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const sorted = rows.toSorted((a, b) => a.slotId - b.slotId || a.ts.getTime() - b.ts.getTime());
  const numbers = (pick: (row: CandleRow) => number | null) => array(sorted.map(pick), "float8");
  const [result] = await handle.execute<{ n: number }>(sql`
    with written as (
      insert into idle_candles as c (slot_id, ts, price, volume)
      select slot_id, to_timestamp(ts_ms / 1000.0), price, volume
        from unnest(${array(
          sorted.map((row) => row.slotId),
          "int",
        )}, ${numbers((row) => row.ts.getTime())}, ${numbers((row) => row.close)},
                    ${numbers((row) => row.volume)}) as t(slot_id, ts_ms, price, volume)
      on conflict (slot_id, ts) do update set price = excluded.price, volume = excluded.volume
      where (c.price, c.volume) is distinct from (excluded.price, excluded.volume)
      returning 1)
    select count(*)::int as n from written`);
  return result?.n ?? 0;
}

/**
 * Finds stored candles whose open time is at most `withinMs` from that of a given candle of the same slot, but not equal
 * to it. Returns the index (`place`) of each such given candle, and the open time (`ts`) of the oldest candle found for it.
 */
export async function findNearCandles(
  handle: DatabaseHandle,
  candles: readonly { slotId: number; ts: Date; withinMs: number }[],
): Promise<{ place: number; ts: Date }[]> {
  const numbers = (pick: (one: (typeof candles)[number]) => number) => array(candles.map(pick), "float8");
  const rows = await handle.execute<{ place: number; t: string }>(sql`
    select (t.place - 1)::int as place, ${epochMs("c.ts")} as t
      from unnest(${array(
        candles.map((one) => one.slotId),
        "int",
      )}, ${numbers((one) => one.ts.getTime())}, ${numbers((one) => one.withinMs)})
             with ordinality as t(slot_id, ts_ms, within_ms, place)
     cross join lateral (
       select ts from candles
        where slot_id = t.slot_id and ts >= to_timestamp((t.ts_ms - t.within_ms) / 1000.0)
          and ts <= to_timestamp((t.ts_ms + t.within_ms) / 1000.0) and ts <> to_timestamp(t.ts_ms / 1000.0)
        order by ts limit 1) c
     order by 1`);
  return rows.map((row) => ({ place: row.place, ts: new Date(Number(row.t)) }));
}

/** Candles as one array per field. */
export interface CandleColumns {
  /** Open times in epoch milliseconds. */
  ts: Float64Array;
  open: Float64Array;
  high: Float64Array;
  low: Float64Array;
  close: Float64Array;
  volume: Float64Array;
}

/**
 * Settled candles of one slot with open times from `from` (inclusive) to `to` (exclusive), oldest first; with `newest`,
 * at most that many, the newest. A missing volume is 0.
 */
export async function readCandles(
  handle: DatabaseHandle,
  slotId: number,
  range: { from?: Date; to?: Date; newest?: number } = {},
): Promise<CandleColumns> {
  const conditions = [sql`slot_id = ${slotId}`, IS_SETTLED_CANDLE];
  if (range.from) conditions.push(sql`ts >= ${range.from.toISOString()}::timestamptz`);
  if (range.to) conditions.push(sql`ts < ${range.to.toISOString()}::timestamptz`);
  const limit = range.newest === undefined ? sql`` : sql`limit ${range.newest}`;
  // Newest first, so that a limit costs only the rows it returns. `toColumns` reverses them and parses the times, which
  // the driver returns as text.
  const rows = await handle.execute<CandleText>(sql`
    select ${epochMs("ts")} as t, open as o, high as h, low as l, close as c, volume as v
      from candles where ${sql.join(conditions, sql` and `)} order by ts desc ${limit}`);
  return toColumns(rows);
}

/** Open time of a slot's first settled candle that opened after `after`, or of all if `after` is null; null: none. */
export async function findFirstCandleTime(
  handle: DatabaseHandle,
  slotId: number,
  after: Date | null,
): Promise<Date | null> {
  const later = after === null ? sql`` : sql`and ts > ${after.toISOString()}::timestamptz`;
  const [row] = await handle.execute<{ t: string }>(sql`
    select ${epochMs("ts")} as t from candles
     where slot_id = ${slotId} ${later} and ${IS_SETTLED_CANDLE} order by ts limit 1`);
  return row === undefined ? null : new Date(Number(row.t));
}

/** Open time of a slot's newest settled candle; null: none. */
export async function findNewestCandleTime(handle: DatabaseHandle, slotId: number): Promise<Date | null> {
  const [row] = await handle.execute<{ t: string }>(sql`
    select ${epochMs("ts")} as t from candles
     where slot_id = ${slotId} and ${IS_SETTLED_CANDLE} order by ts desc limit 1`);
  return row === undefined ? null : new Date(Number(row.t));
}

/** Number of settled candles in a range, and an order-independent hash of their values. */
export interface CandleRevision {
  n: number;
  hash: string;
}

/**
 * Revisions of a slot's settled candles by open time: `held` of those from `from` to `last` (both inclusive), `all` of
 * those from `from` to `to` (exclusive). Call it before reading the candles: a change in between then shows as another
 * revision at the next call.
 */
export async function readCandleRevisions(
  handle: DatabaseHandle,
  slotId: number,
  range: { from: Date; last: Date; to: Date },
): Promise<{ held: CandleRevision; all: CandleRevision }> {
  const held = sql`filter (where ts <= ${range.last.toISOString()}::timestamptz)`;
  const [row] = await handle.execute<{ n: number; hash: string; n_held: number; hash_held: string }>(sql`
    select count(*)::int as n, coalesce(bit_xor(h), 0)::text as hash,
           (count(*) ${held})::int as n_held, coalesce(bit_xor(h) ${held}, 0)::text as hash_held
      from (select ts, hash_record_extended(row(ts, open, high, low, close, volume), 0) as h from candles
             where slot_id = ${slotId} and ts >= ${range.from.toISOString()}::timestamptz
               and ts < ${range.to.toISOString()}::timestamptz and ${IS_SETTLED_CANDLE}) c`);
  const { n = 0, hash = "0", n_held = 0, hash_held = "0" } = row ?? {};
  return { held: { n: n_held, hash: hash_held }, all: { n, hash } };
}

/** A row of a candle query. Not an interface, because the driver requires an index signature, which interfaces lack. */
type CandleText = { t: string; o: number; h: number; l: number; c: number; v: number | null };

/** Converts rows, newest first, to columns, oldest first. */
function toColumns(rows: readonly CandleText[]): CandleColumns {
  const n = rows.length;
  const columns: CandleColumns = {
    ts: new Float64Array(n),
    open: new Float64Array(n),
    high: new Float64Array(n),
    low: new Float64Array(n),
    close: new Float64Array(n),
    volume: new Float64Array(n),
  };
  rows.forEach((row, i) => {
    const at = n - 1 - i;
    columns.ts[at] = Number(row.t);
    columns.open[at] = row.o;
    columns.high[at] = row.h;
    columns.low[at] = row.l;
    columns.close[at] = row.c;
    columns.volume[at] = row.v ?? 0;
  });
  return columns;
}

/**
 * Settled candles of one slot from `from` to `to` (open times, both inclusive) with up to `before` earlier and
 * `after` later ones; oldest first.
 */
export async function readCandlesAround(
  handle: DatabaseHandle,
  slotId: number,
  range: { from: Date; to: Date; before: number; after: number },
): Promise<CandleColumns> {
  const from = sql`${range.from.toISOString()}::timestamptz`;
  const to = sql`${range.to.toISOString()}::timestamptz`;
  const rows = await handle.execute<CandleText>(sql`
    select ${epochMs("ts")} as t, open as o, high as h, low as l, close as c, volume as v
      from (
        (select * from candles where slot_id = ${slotId} and ts < ${from} and ${IS_SETTLED_CANDLE}
          order by ts desc limit ${range.before})
        union all
        (select * from candles where slot_id = ${slotId} and ts >= ${from} and ts <= ${to} and ${IS_SETTLED_CANDLE})
        union all
        (select * from candles where slot_id = ${slotId} and ts > ${to} and ${IS_SETTLED_CANDLE}
          order by ts limit ${range.after})
      ) c
     order by ts desc`);
  return toColumns(rows);
}

/** Open time of the settled candle that is `candles` settled candles before the one at `ts`, or of the first one of the slot. */
export async function findTimeNCandlesBefore(
  handle: DatabaseHandle,
  slotId: number,
  { ts, candles }: { ts: Date; candles: number },
): Promise<Date> {
  const [row] = await handle.execute<{ t: string | null }>(sql`
    select ${epochMs("min(ts)")} as t from (
      select ts from candles
       where slot_id = ${slotId} and ts <= ${ts.toISOString()}::timestamptz and ${IS_SETTLED_CANDLE}
       order by ts desc limit ${candles + 1}) c`);
  return row?.t == null ? ts : new Date(Number(row.t));
}

/** The oldest `limit` settled candles of a slot whose open times are from `from` to `to` (both inclusive), oldest first. */
export async function readOldestCandles(
  handle: DatabaseHandle,
  slotId: number,
  range: { from: Date | undefined; to: Date | undefined; limit: number },
): Promise<CandleColumns> {
  const conditions = [sql`slot_id = ${slotId}`, IS_SETTLED_CANDLE];
  if (range.from) conditions.push(sql`ts >= ${range.from.toISOString()}::timestamptz`);
  if (range.to) conditions.push(sql`ts <= ${range.to.toISOString()}::timestamptz`);
  const rows = await handle.execute<CandleText>(sql`
    select ${epochMs("ts")} as t, open as o, high as h, low as l, close as c, volume as v
      from candles where ${sql.join(conditions, sql` and `)} order by ts limit ${range.limit}`);
  return toColumns(rows.toReversed());
}

/** Close price of each wanted candle that is stored, by its index in `wanted`. */
export async function listCandleClosePrices(
  handle: DatabaseHandle,
  wanted: readonly { slotId: number; ts: Date }[],
): Promise<Map<number, number>> {
  const rows = await handle.execute<{ place: number; close: number }>(sql`
    select w.place::int as place, c.close
      from unnest(
             ${array(
               wanted.map(({ slotId }) => slotId),
               "int",
             )},
             ${array(
               wanted.map(({ ts }) => ts.toISOString()),
               "timestamptz",
             )}) with ordinality as w(slot_id, ts, place)
      join candles c on c.slot_id = w.slot_id and c.ts = w.ts`);
  return new Map(rows.map(({ place, close }) => [place - 1, close]));
}
