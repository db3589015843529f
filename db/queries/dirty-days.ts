import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { columns, number, type Row, text } from "./columns";
import { array } from "./parameters";

/** Kinds of stored sums: three per slot and UTC day, and `month`, which sums up the `forecasts` days of a slot's month. */
export type SumKind = "signals" | "forecasts" | "results" | "month";

const DIRTY_DAY = columns({ slotId: number("slot_id"), day: text("to_char(day, 'YYYY-MM-DD')") });
export type SlotDay = Row<typeof DIRTY_DAY>;

/**
 * A past day is summed up after this time without a change. Until then statistics read its rows individually.
 */
const QUIET_SECONDS = 30;

/**
 * Removes the newest past days of one kind, at most `limit`, from the list of dirty days and returns them in no order.
 * The newest come first because most windows are short. They are locked until commit: concurrent writes to these days
 * wait and then mark them dirty again. A month is taken only when none of its `forecasts` days is dirty.
 */
export async function takeDirtyDays(tx: Transaction, kind: SumKind, limit: number): Promise<SlotDay[]> {
  const today = sql`(now() at time zone 'UTC')::date`;
  const isPast =
    kind === "month"
      ? sql`day < date_trunc('month', ${today})::date and not exists (
          select 1 from dirty_days d where d.kind = 'forecasts' and d.slot_id = o.slot_id
             and d.day >= o.day and d.day < (o.day + interval '1 month')::date)`
      : sql`day < ${today} and touched_at < now() - make_interval(secs => ${QUIET_SECONDS})`;
  return DIRTY_DAY.all(
    tx,
    sql`
    delete from dirty_days where (kind, slot_id, day) in (
      select kind, slot_id, day from dirty_days o where kind = ${kind} and ${isPast}
       order by day desc, slot_id limit ${limit} for update skip locked)
    returning ${DIRTY_DAY.list}`,
  );
}

/** SQL: the stored sums of single days, by kind. */
const SUMS = {
  signals: sql`signal_days`,
  forecasts: sql`(select slot_id, day, model_v, xmin from forecast_days where span = 'day')`,
  results: sql`result_days`,
};

const DAY_REVISION = columns({
  slotId: number("t.slot_id"),
  day: text("to_char(t.day, 'YYYY-MM-DD')"),
  revision: text("t.revision"),
});
/** A day of a slot, and a text that changes whenever the day's rows in the window change. */
export type DayRevision = Row<typeof DAY_REVISION>;

/**
 * The revision of each day of `parts(slot_id, day)`. Callers keep what they read from a day's rows until its revision
 * changes. Each new row rewrites the day's mark in `dirty_days`, and the worker then rewrites the day's sums, so the
 * `xmin` of both tell whether the rows are the same. `firstClose` is SQL: the first close after the start of the window,
 * which tells which rows of the day `p` count; null for a day that lies in the window.
 */
export function listDayRevisions(
  handle: DatabaseHandle,
  kind: keyof typeof SUMS,
  { parts, firstClose }: { parts: SQL; firstClose: SQL },
): Promise<DayRevision[]> {
  return DAY_REVISION.all(
    handle,
    sql`
    with parts as materialized (${parts})
    select ${DAY_REVISION.list}
      from (select slot_id, day, concat(
                     (select d.xmin from dirty_days d
                       where d.kind = ${kind} and d.slot_id = p.slot_id and d.day = p.day), '/',
                     (select string_agg(r.xmin::text, ' ' order by r.model_v)
                        from ${SUMS[kind]} r where r.slot_id = p.slot_id and r.day = p.day), '/', ${firstClose}) as revision
              from parts p) t`,
  );
}

/** Marks the months that contain these days as dirty. */
export async function markMonthsDirty(tx: Transaction, days: SlotDay[]): Promise<void> {
  await tx.execute(sql`
    insert into dirty_days (kind, slot_id, day)
    select distinct 'month', slot_id, date_trunc('month', day)::date from ${slotDays(days)} order by 2, 3
    on conflict (kind, slot_id, day) do nothing`);
}

/** SQL: these days as a table `t(slot_id, day)`. */
export function slotDays(days: readonly SlotDay[]): SQL {
  return sql`unnest(${array(
    days.map(({ slotId }) => slotId),
    "int",
  )}, (${array(
    days.map(({ day }) => day),
    "text",
  )})::date[]) as t(slot_id, day)`;
}
