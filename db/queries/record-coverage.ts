import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import type { CalendarName, Timeframe } from "@/lib/vocabulary";
import { columns, number, type Row, safeInteger, text, timestamp, timestampOrNull } from "./columns";
import { array } from "./parameters";
import { pauseCovers } from "./pauses";

const OFFER = columns({
  slotId: number("s.id"),
  timeframe: text<Timeframe>("s.timeframe"),
  offeredFrom: timestampOrNull("r.offered_from"),
  /** The UTC day on which the slot's coverage was last counted, `YYYY-MM-DD`; null: never. */
  countedOn: text<string | null>("r.counted_on::text"),
});
export type OfferedSlot = Row<typeof OFFER>;

/** Offered slots whose coverage was last counted before the day `countedBefore`, and the slots `slotIds`. */
export async function listSlotsDueForCoverage(
  handle: DatabaseHandle,
  wanted: { countedBefore: string; slotIds: readonly number[] },
): Promise<OfferedSlot[]> {
  return OFFER.all(
    handle,
    sql`
    select ${OFFER.list} from slots s left join record_slots r on r.slot_id = s.id
     where s.id = any(${array([...wanted.slotIds], "int")})
        or (r.offered_from is not null and r.counted_on < ${wanted.countedBefore}::date)`,
  );
}

/**
 * Stores since when slots have been offered, and `countedOn`, the day on which their coverage was counted. An earlier stored
 * `offeredFrom` is kept.
 */
export async function saveOfferedSlots(
  handle: DatabaseHandle,
  rows: readonly { slotId: number; offeredFrom: Date | null }[],
  countedOn: string,
): Promise<void> {
  await handle.execute(sql`
    insert into record_slots as r (slot_id, offered_from, counted_on)
    select slot_id, offered_from, ${countedOn}::date
      from unnest(${array(
        rows.map(({ slotId }) => slotId),
        "int",
      )}, ${array(
        rows.map(({ offeredFrom }) => offeredFrom?.toISOString() ?? null),
        "text",
      )}::timestamptz[]) as t(slot_id, offered_from)
    on conflict (slot_id) do update
      set offered_from = least(r.offered_from, excluded.offered_from), counted_on = excluded.counted_on`);
}

/**
 * Counts, for these slots and days, the candles with a signal that was committed in time, and replaces the stored counts.
 * `seconds` is the length of a candle.
 */
export async function updateRecordCoverage(
  handle: DatabaseHandle,
  days: readonly { slotId: number; day: string; seconds: number }[],
  now: Date,
): Promise<void> {
  if (days.length === 0) return;
  const requested = sql`unnest(${array(
    days.map(({ slotId }) => slotId),
    "int",
  )}, ${array(
    days.map(({ day }) => day),
    "text",
  )}::date[], ${array(
    days.map(({ seconds }) => seconds),
    "int",
  )}) as t(slot_id, day, seconds)`;
  // A candle is counted only when the time for its commitment is over. Each day is a range of the indexes on slot and
  // candle; `offset 0` keeps the planner, which does not know how few days there are, from reading whole tables.
  await handle.execute(sql`
    insert into record_coverage (slot_id, day, n_candles, n_in_time, n_slow, n_late, late_seconds, n_paused, n_entered_later)
    select t.slot_id, t.day, c.n, c.n_in_time, c.n_slow, c.n_late, c.late_seconds, c.n_paused, l.n
      from ${requested}
      join slots s on s.id = t.slot_id
      left join record_slots r on r.slot_id = t.slot_id
     cross join lateral (
       select count(*)::int as n,
              (count(*) filter (where made.in_time))::int as n_in_time,
              (count(*) filter (where made.delay > 0.1 * t.seconds))::int as n_slow,
              (count(*) filter (where not made.in_time))::int as n_late,
              coalesce(sum(made.late) filter (where not made.in_time), 0)::bigint as late_seconds,
              (count(*) filter (where made.in_time is null and exists (
                select 1 from pauses p where ${pauseCovers(sql`s.symbol`, sql`s.timeframe`)}
                  and c.closes_at >= p.started_at and (p.ended_at is null or c.closes_at < p.ended_at))))::int as n_paused
         from (
           select ts, ts + make_interval(secs => t.seconds) as closes_at from candles k
            where k.slot_id = t.slot_id and k.ts >= r.offered_from
              and k.ts >= t.day::timestamp at time zone 'UTC' and k.ts < (t.day + 1)::timestamp at time zone 'UTC'
              and k.ts + make_interval(secs => 2 * t.seconds) <= ${now.toISOString()}::timestamptz offset 0) c
         left join lateral (
           select bool_or(l.in_time) as in_time,
                  extract(epoch from max(e.at - g.closes_at) filter (where l.in_time)) as delay,
                  extract(epoch from min(coalesce(e.at, ${now.toISOString()}::timestamptz)) - min(g.closes_at)) as late
             from (select id, closes_at from signals where slot_id = t.slot_id and ts = c.ts offset 0) g
            cross join lateral (
              select * from ledger_signals where signal_id = g.id and in_time is not null offset 0) l
             left join lateral (
               select at from ledger_entries where index = coalesce(l.commitment, l.reveal) offset 0) e on true) made on true) c
     cross join lateral (
       select count(*)::int as n
         from (
           select id from signals
            where slot_id = t.slot_id and ts >= t.day::timestamp at time zone 'UTC'
              and ts < (t.day + 1)::timestamp at time zone 'UTC' offset 0) g
        cross join lateral (
          select 1 from ledger_signals
           where signal_id = g.id and not in_time and outcome < (select folded from ledger_state where id = 1) offset 0) x) l
    on conflict (slot_id, day) do update
      set n_candles = excluded.n_candles, n_in_time = excluded.n_in_time, n_slow = excluded.n_slow, n_late = excluded.n_late,
          late_seconds = excluded.late_seconds, n_paused = excluded.n_paused, n_entered_later = excluded.n_entered_later`);
}

const UNCOUNTED = columns({
  slotId: number("s.id"),
  timeframe: text<Timeframe>("s.timeframe"),
  calendar: text<CalendarName>("m.calendar"),
  /** Open time of the last candle up to which missing candles are counted, or from which the slot has been offered. */
  since: timestamp("coalesce(r.missing_counted_to, r.offered_from)"),
});
export type UncountedSlot = Row<typeof UNCOUNTED>;

/**
 * Locks and returns the offered slots with candles up to `until` in which missing ones have not been counted. Slots that
 * another transaction counts are left out.
 */
export async function lockSlotsWithUncountedCandles(
  handle: DatabaseHandle,
  until: Date,
): Promise<UncountedSlot[]> {
  return UNCOUNTED.all(
    handle,
    sql`
    select ${UNCOUNTED.list}
      from record_slots r join slots s on s.id = r.slot_id join symbols m on m.symbol = s.symbol
     where coalesce(r.missing_counted_to, r.offered_from)
         < (select max(ts) from candles where slot_id = r.slot_id and ts <= ${until.toISOString()}::timestamptz)
       for update of r skip locked`,
  );
}

/** Adds to the numbers of missing candles of these slots, which are then counted up to the last candle before `until`. */
export async function addMissingCandles(
  handle: DatabaseHandle,
  counted: readonly { slotId: number; n: number }[],
  until: Date,
): Promise<void> {
  if (counted.length === 0) return;
  await handle.execute(sql`
    update record_slots r
       set n_missing = r.n_missing + t.n,
           missing_counted_to =
             (select max(ts) from candles where slot_id = r.slot_id and ts <= ${until.toISOString()}::timestamptz)
      from unnest(${array(
        counted.map(({ slotId }) => slotId),
        "int",
      )}, ${array(
        counted.map(({ n }) => n),
        "int",
      )}) as t(slot_id, n)
     where r.slot_id = t.slot_id`);
}

const COVERAGE = columns({
  slotId: number("r.slot_id"),
  offeredFrom: timestampOrNull("r.offered_from"),
  nCandles: number("coalesce(sum(c.n_candles), 0)::int"),
  nInTime: number("coalesce(sum(c.n_in_time), 0)::int"),
  nSlow: number("coalesce(sum(c.n_slow), 0)::int"),
  nLate: number("coalesce(sum(c.n_late), 0)::int"),
  lateSeconds: safeInteger("coalesce(sum(c.late_seconds), 0)"),
  nPaused: number("coalesce(sum(c.n_paused), 0)::int"),
  nEnteredLater: number("coalesce(sum(c.n_entered_later), 0)::int"),
  nMissing: number("r.n_missing"),
});
export type RecordCoverageRow = Row<typeof COVERAGE>;

/** The coverage of each slot, summed over all days. */
export async function listRecordCoverage(handle: DatabaseHandle): Promise<RecordCoverageRow[]> {
  return COVERAGE.all(
    handle,
    sql`
    select ${COVERAGE.list} from record_slots r left join record_coverage c on c.slot_id = r.slot_id
     group by r.slot_id`,
  );
}
