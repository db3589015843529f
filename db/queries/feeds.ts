import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { type CalendarName, type FeedState, NO_REDISTRIBUTION_FEEDS, type Timeframe } from "@/lib/vocabulary";
import { IS_SETTLED_CANDLE } from "./candles";
import {
  boolean,
  columns,
  json,
  number,
  type Row,
  safeInteger,
  text,
  timestamp,
  timestampOrNull,
} from "./columns";
import { array } from "./parameters";

const DELAYS_KEPT = 100;

/** Sets the source of the candles that this transaction stores. A trigger stores it with every correction of a candle. */
export async function setTransactionCandleSource(handle: DatabaseHandle, source: string): Promise<void> {
  await handle.execute(sql`select set_config('signals.candle_source', ${source}, true)`);
}

/** Limits a clock offset to what its 32-bit column can hold. */
const clamped = (ms: number) => Math.max(-2_000_000_000, Math.min(2_000_000_000, Math.round(ms)));

/** Stores a feed's state. Without a new error or clock offset the stored one is kept. */
export async function recordFeedState(
  handle: DatabaseHandle,
  feed: { name: string; state: FeedState; error?: string; clockOffsetMs?: number | null },
): Promise<void> {
  const isWell = feed.state === "ok";
  const error = feed.error ?? null;
  const offsetMs = feed.clockOffsetMs == null ? null : clamped(feed.clockOffsetMs);
  await handle.execute(sql`
    insert into feeds as f (name, state, last_ok_at, last_error_at, last_error, clock_offset_ms)
    values (${feed.name}, ${feed.state}, case when ${isWell} then now() end,
            case when ${error}::text is not null then now() end, ${error}, ${offsetMs}::int)
    on conflict (name) do update set
      state = excluded.state,
      last_ok_at = coalesce(excluded.last_ok_at, f.last_ok_at),
      last_error_at = coalesce(excluded.last_error_at, f.last_error_at),
      last_error = coalesce(excluded.last_error, f.last_error),
      clock_offset_ms = coalesce(excluded.clock_offset_ms, f.clock_offset_ms)`);
}

export interface FeedSlotIncrement {
  feed: string;
  slotId: number;
  /** Open time of the newest candle that was received and usable; null: none. */
  lastTs: Date | null;
  /** Delays in ms from close to receipt of the candles that arrived before the next one closed, oldest first. */
  delaysMs: number[];
  stored: number;
  refused: number;
  refusal: string | null;
  compared: number;
  differing: number;
  sumDiffBps: number;
  maxDiffBps: number;
}

/** Adds an increment to a feed's stored statistics of one slot. Fails by a foreign key if the feed is not stored. */
export async function addFeedSlotStatistics(handle: DatabaseHandle, note: FeedSlotIncrement): Promise<void> {
  const lastTs = note.lastTs?.toISOString() ?? null;
  await handle.execute(sql`
    insert into feed_slots as f (feed, slot_id, last_ts, last_received_at, delays_ms, n_stored, n_refused, last_refusal,
                                 n_compared, n_differing, sum_diff_bps, max_diff_bps)
    values (${note.feed}, ${note.slotId}, ${lastTs}::timestamptz, case when ${lastTs}::text is not null then now() end,
            ${array(note.delaysMs.slice(-DELAYS_KEPT), "int")}, ${note.stored}, ${note.refused}, ${note.refusal},
            ${note.compared}, ${note.differing}, ${note.sumDiffBps}::float8, ${note.maxDiffBps}::float8)
    on conflict (feed, slot_id) do update set
      last_ts = greatest(f.last_ts, excluded.last_ts),
      last_received_at = coalesce(excluded.last_received_at, f.last_received_at),
      delays_ms = (f.delays_ms || excluded.delays_ms)[greatest(1,
        coalesce(array_length(f.delays_ms || excluded.delays_ms, 1), 0) - ${DELAYS_KEPT - 1}):],
      n_stored = f.n_stored + excluded.n_stored,
      n_refused = f.n_refused + excluded.n_refused,
      last_refusal = coalesce(excluded.last_refusal, f.last_refusal),
      n_compared = f.n_compared + excluded.n_compared,
      n_differing = f.n_differing + excluded.n_differing,
      sum_diff_bps = f.sum_diff_bps + excluded.sum_diff_bps,
      max_diff_bps = greatest(f.max_diff_bps, excluded.max_diff_bps)`);
}

/**
 * The leading feed of a slot: of the folders and terminals that delivered candles of it in the last three days, the one
 * that began first; null: none.
 */
export async function findLeadingFeed(handle: DatabaseHandle, slotId: number): Promise<string | null> {
  const [row] = await handle.execute<{ feed: string }>(sql`
    select feed from feed_slots
     where slot_id = ${slotId} and last_received_at > now() - interval '3 days'
       and (feed like 'folder:%' or feed like 'push:%')
     order by created_at, feed limit 1`);
  return row?.feed ?? null;
}

/** Locks a slot until commit, so that transactions of several feeds store its candles one after the other. */
export async function lockSlotForFeeds(handle: DatabaseHandle, slotId: number): Promise<void> {
  await handle.execute(sql`select 1 from slots where id = ${slotId} for no key update`);
}

/** Open time of the newest candle that a feed delivered for a slot; null: none. */
export async function findNewestFeedCandleTime(
  handle: DatabaseHandle,
  feed: string,
  slotId: number,
): Promise<Date | null> {
  const [row] = await POSITION.all(
    handle,
    sql`select ${POSITION.list} from feed_slots where feed = ${feed} and slot_id = ${slotId}`,
  );
  return row?.ts ?? null;
}
const POSITION = columns({ ts: timestampOrNull("last_ts") });

const PRICES = columns({
  ts: timestamp("ts"),
  open: number("open"),
  high: number("high"),
  low: number("low"),
  close: number("close"),
  volume: number<number | null>("volume"),
});
export type StoredPrices = Row<typeof PRICES>;

/** The stored candles of a slot that opened at these times. */
export async function findCandles(
  handle: DatabaseHandle,
  slotId: number,
  times: readonly Date[],
): Promise<StoredPrices[]> {
  const wanted = array(
    times.map((time) => time.getTime()),
    "float8",
  );
  return PRICES.all(
    handle,
    sql`select ${PRICES.list} from candles
         where slot_id = ${slotId} and ts = any(array(select to_timestamp(t / 1000.0) from unnest(${wanted}) t))`,
  );
}

/** Records that a feed which is not the slot's leading feed sent other prices than the stored candle has, once per candle. */
export async function recordCandleDifference(
  handle: DatabaseHandle,
  difference: { slotId: number; source: string; stored: StoredPrices; sent: Omit<StoredPrices, "ts"> },
): Promise<void> {
  const { slotId, source, stored, sent } = difference;
  await handle.execute(sql`
    insert into candle_corrections (slot_id, ts, source, applied, old_open, old_high, old_low, old_close, old_volume,
                                    new_open, new_high, new_low, new_close, new_volume)
    values (${slotId}, ${stored.ts.toISOString()}::timestamptz, ${source}, false, ${stored.open}, ${stored.high},
            ${stored.low}, ${stored.close}, ${stored.volume}::float8, ${sent.open}, ${sent.high}, ${sent.low},
            ${sent.close}, ${sent.volume}::float8)
    on conflict do nothing`);
}

const HOLE = columns({ slotId: number("slot_id"), from: timestamp("before"), to: timestamp("ts") });
/** Open times of two consecutive stored candles of a slot that are further apart than the length of a candle. */
export type CandleGap = Row<typeof HOLE>;

/**
 * Gaps between the stored candles of each given slot that opened at or after `since` and, if given, up to `until`.
 * Includes gaps in which the market was closed. `seconds` is the length of a candle; for MN1 30 days, so consecutive
 * candles of longer months are included, too.
 */
export async function listCandleGaps(
  handle: DatabaseHandle,
  wanted: readonly { slotId: number; seconds: number; since: Date }[],
  until: Date | null = null,
): Promise<CandleGap[]> {
  if (wanted.length === 0) return [];
  const numbers = (pick: (slot: (typeof wanted)[number]) => number) => array(wanted.map(pick), "float8");
  return HOLE.all(
    handle,
    sql`
    select ${HOLE.list}
      from unnest(${numbers(({ slotId }) => slotId)}, ${numbers(({ seconds }) => seconds)},
                  ${numbers(({ since }) => since.getTime())}) w(id, seconds, since_ms),
           lateral (
             select slot_id, ts, lag(ts) over (order by ts) as before from candles
              where slot_id = w.id::int and ts >= to_timestamp(w.since_ms / 1000.0)
                and ts <= coalesce(${until?.toISOString() ?? null}::timestamptz, 'infinity')) c
     where ts - before > make_interval(secs => w.seconds)
     order by slot_id, before`,
  );
}

// The operator's choice for the feed, else true except for feeds whose terms forbid redistribution.
const CANDLES_PUBLIC = `coalesce(candles_public, name not in (${NO_REDISTRIBUTION_FEEDS.map((name) => `'${name}'`).join(", ")}))`;

/**
 * Whether all feeds from which candles of a slot were stored allow showing them publicly. Candles that a producer ingested
 * have no feed and are always allowed.
 */
export async function feedsAllowPublicCandles(
  handle: DatabaseHandle,
  { symbol, timeframe }: { symbol: string; timeframe: string },
): Promise<boolean> {
  const [row] = await handle.execute<{ may: boolean }>(sql`
    select not exists (
      select 1 from slots s join feed_slots b on b.slot_id = s.id join feeds f on f.name = b.feed
       where s.symbol = ${symbol} and s.timeframe = ${timeframe} and b.n_stored > 0
         and not ${sql.raw(CANDLES_PUBLIC)}) as may`);
  return row?.may === true;
}

/** Stores whether a feed's candles may be shown publicly, also for a feed that has not run yet. */
export async function setFeedCandlesPublic(
  handle: DatabaseHandle,
  { feed, shown }: { feed: string; shown: boolean },
): Promise<void> {
  await handle.execute(sql`
    insert into feeds (name, state, candles_public) values (${feed}, 'waiting', ${shown})
    on conflict (name) do update set candles_public = excluded.candles_public`);
}

const FEED = columns({
  name: text("name"),
  state: text<FeedState>("state"),
  lastOkAt: timestampOrNull("last_ok_at"),
  lastErrorAt: timestampOrNull("last_error_at"),
  lastError: text<string | null>("last_error"),
  clockOffsetMs: number<number | null>("clock_offset_ms"),
  areCandlesPublic: boolean(CANDLES_PUBLIC),
});
export type FeedRow = Row<typeof FEED>;

/** Every feed that has ever run, or for which an operator has chosen whether its candles may be shown publicly. */
export async function listFeeds(handle: DatabaseHandle): Promise<FeedRow[]> {
  return FEED.all(handle, sql`select ${FEED.list} from feeds order by created_at, name`);
}

const FEED_SLOT = columns({
  feed: text("f.feed"),
  slotId: number("f.slot_id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  calendar: text<CalendarName>("y.calendar"),
  lastTs: timestampOrNull("f.last_ts"),
  lastReceivedAt: timestampOrNull("f.last_received_at"),
  delaysMs: json<number[]>("f.delays_ms"),
  stored: safeInteger("f.n_stored"),
  refused: safeInteger("f.n_refused"),
  lastRefusal: text<string | null>("f.last_refusal"),
  compared: safeInteger("f.n_compared"),
  differing: safeInteger("f.n_differing"),
  sumDiffBps: number("f.sum_diff_bps"),
  maxDiffBps: number("f.max_diff_bps"),
});
export type FeedSlotRow = Row<typeof FEED_SLOT>;

/** Statistics of every feed and slot for which it delivered candles. */
export async function listFeedSlots(handle: DatabaseHandle): Promise<FeedSlotRow[]> {
  return FEED_SLOT.all(
    handle,
    sql`select ${FEED_SLOT.list} from feed_slots f join slots s on s.id = f.slot_id join symbols y on y.symbol = s.symbol
         order by s.symbol, s.id, f.created_at`,
  );
}

const SLOT_CANDLES = columns({
  slotId: number("s.id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  calendar: text<CalendarName>("y.calendar"),
  digits: number("y.digits"),
  lastTs: timestampOrNull("d.ts"),
  corrections: number("k.n"),
});
export type SlotCandleState = Row<typeof SLOT_CANDLES>;

/** Every slot with the open time of its newest settled candle, and the number of its candles' corrections since `since`. */
export async function listSlotCandleStates(handle: DatabaseHandle, since: Date): Promise<SlotCandleState[]> {
  return SLOT_CANDLES.all(
    handle,
    sql`
    select ${SLOT_CANDLES.list}
      from slots s
      join symbols y on y.symbol = s.symbol
      left join lateral (
        select ts from candles where slot_id = s.id and ${IS_SETTLED_CANDLE} order by ts desc limit 1) d on true
      cross join lateral (
        select count(*)::int as n from candle_corrections
         where slot_id = s.id and at >= ${since.toISOString()}::timestamptz and applied) k
     order by s.symbol, s.id`,
  );
}

const CORRECTION = columns({
  id: safeInteger("c.id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  digits: number("y.digits"),
  ts: timestamp("c.ts"),
  at: timestamp("c.at"),
  source: text("c.source"),
  applied: boolean("c.applied"),
  oldOpen: number("c.old_open"),
  oldHigh: number("c.old_high"),
  oldLow: number("c.old_low"),
  oldClose: number("c.old_close"),
  oldVolume: number<number | null>("c.old_volume"),
  newOpen: number("c.new_open"),
  newHigh: number("c.new_high"),
  newLow: number("c.new_low"),
  newClose: number("c.new_close"),
  newVolume: number<number | null>("c.new_volume"),
});
export type CandleCorrectionRow = Row<typeof CORRECTION>;

/** The newest corrections of stored candles and, with `applied` false, differences that other feeds than the leading sent. */
export async function listCandleCorrections(
  handle: DatabaseHandle,
  limit: number,
): Promise<CandleCorrectionRow[]> {
  return CORRECTION.all(
    handle,
    sql`select ${CORRECTION.list} from (select * from candle_corrections order by id desc limit ${limit}) c
          join slots s on s.id = c.slot_id join symbols y on y.symbol = s.symbol
         order by c.id desc`,
  );
}

/** Whether a file with this content hash was already read from the folder of this feed. */
export async function isFileRead(handle: DatabaseHandle, feed: string, hash: string): Promise<boolean> {
  const rows = await handle.execute(sql`select 1 from feed_files where feed = ${feed} and hash = ${hash}`);
  return rows.length > 0;
}

/** Records that a file was read from a feed's folder, by the hash of its content. Fails by a foreign key for an unknown feed. */
export async function recordFileRead(
  handle: DatabaseHandle,
  read: {
    feed: string;
    hash: string;
    file: string;
    accepted: number;
    duplicates: number;
    error: string | null;
  },
): Promise<void> {
  await handle.execute(sql`
    insert into feed_files (feed, hash, file, accepted, duplicates, error)
    values (${read.feed}, ${read.hash}, ${read.file}, ${read.accepted}, ${read.duplicates}, ${read.error})
    on conflict (feed, hash) do nothing`);
}

const FILE = columns({
  feed: text("feed"),
  file: text("file"),
  hash: text("hash"),
  readAt: timestamp("read_at"),
  accepted: number("accepted"),
  duplicates: number("duplicates"),
  error: text<string | null>("error"),
});
export type FeedFileRow = Row<typeof FILE>;

/** The files that were read last, newest first. */
export async function listFilesRead(handle: DatabaseHandle, limit: number): Promise<FeedFileRow[]> {
  return FILE.all(handle, sql`select ${FILE.list} from feed_files order by read_at desc limit ${limit}`);
}
