import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { columns, json, number, type Row, timestamp, timestampMs } from "./columns";

const CALIBRATION = columns({
  day: timestamp("day"),
  a: number("a"),
  b: number("b"),
  c1: number("c1"),
  c2: number("c2"),
  d: number("d"),
  n: number("n"),
  learntTo: timestamp("learnt_to"),
  learnt: json<{ curvature: readonly number[]; pull: readonly number[] }>("learnt"),
});
/** The online calibration of a model's forecasts that applies from the start of the UTC day `day`. */
export type StoredCalibration = Row<typeof CALIBRATION>;

/** A model's calibrations from `day` on, and the last one before `day`, oldest first. */
export async function listCalibrations(
  handle: DatabaseHandle,
  wanted: { slotId: number; modelV: string; day: Date },
): Promise<StoredCalibration[]> {
  const ofModel = sql`from online_calibrations where slot_id = ${wanted.slotId} and model_v = ${wanted.modelV}`;
  const day = sql`${wanted.day.toISOString()}::timestamptz`;
  return CALIBRATION.all(
    handle,
    sql`
    (select ${CALIBRATION.list} ${ofModel} and day < ${day} order by online_calibrations.day desc limit 1)
    union all
    (select ${CALIBRATION.list} ${ofModel} and day >= ${day})
    order by day`,
  );
}

/** Stores calibrations of days that have none yet. */
export async function insertCalibrations(
  handle: DatabaseHandle,
  model: { slotId: number; modelV: string },
  days: StoredCalibration[],
): Promise<void> {
  if (days.length === 0) return;
  await handle.execute(sql`
    insert into online_calibrations (slot_id, model_v, day, a, b, c1, c2, d, n, learnt_to, learnt)
    select ${model.slotId}, ${model.modelV}, to_timestamp(day_ms / 1000.0), a, b, c1, c2, d, n, to_timestamp(learnt_to_ms / 1000.0), learnt
      from jsonb_to_recordset(${JSON.stringify(
        days.map(({ day, learntTo, ...rest }) => ({
          ...rest,
          day_ms: day.getTime(),
          learnt_to_ms: learntTo.getTime(),
        })),
      )}::jsonb) as t(day_ms float8, a float8, b float8, c1 float8, c2 float8, d float8, n int, learnt_to_ms float8, learnt jsonb)
     order by day_ms
    on conflict do nothing`);
}

const RAW_FORECAST = columns({ tsMs: timestampMs("ts"), rawNo: number("raw_prob_no") });

/**
 * Uncalibrated P(NO_TRADE) of a slot's candles between `after` and `before`, oldest candle first: of each candle, of
 * the newest signal of any model that has one.
 */
export async function listRawForecasts(
  handle: DatabaseHandle,
  wanted: { slotId: number; after: Date; before: Date },
): Promise<Row<typeof RAW_FORECAST>[]> {
  return RAW_FORECAST.all(
    handle,
    sql`
    select distinct on (ts) ${RAW_FORECAST.list}
      from signals
     where slot_id = ${wanted.slotId} and ts > ${wanted.after.toISOString()}::timestamptz
       and ts < ${wanted.before.toISOString()}::timestamptz and raw_prob_no is not null
     order by ts, id desc`,
  );
}
