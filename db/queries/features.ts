import { eq, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { type FeatureDriftReferences, featureStatistics } from "@/db/schema";
import type { Timeframe } from "@/lib/vocabulary";
import { columns, json, number, type Row, text, timestampOrNull } from "./columns";
import { array } from "./parameters";

export interface FeatureValueRow {
  slotId: number;
  ts: Date;
  modelV: string;
  values: Record<string, number | null>;
}

/**
 * Stores feature values and replaces those of the same slot, candle and model. Returns the number of new or changed
 * rows.
 */
export async function upsertFeatureValues(handle: DatabaseHandle, rows: FeatureValueRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const [result] = await handle.execute<{ n: number }>(sql`
    with written as (
      insert into feature_values as f (slot_id, ts, model_v, values)
      select slot_id, to_timestamp(ts_ms / 1000.0), model_v, values
        from jsonb_to_recordset(${JSON.stringify(
          rows.map((row) => ({
            slot_id: row.slotId,
            ts_ms: row.ts.getTime(),
            model_v: row.modelV,
            values: row.values,
          })),
        )}::jsonb) as t(slot_id int, ts_ms float8, model_v text, values jsonb)
       order by 1, 2, 3
      on conflict (slot_id, ts, model_v) do update set values = excluded.values
      where f.values is distinct from excluded.values
      returning 1)
    select count(*)::int as n from written`);
  return result?.n ?? 0;
}

const NEWEST_VALUES = columns({
  slotId: number("m.slot_id"),
  modelV: text("m.model_v"),
  featureStats: json<FeatureDriftReferences | null>("m.feature_stats"),
  feature: text("v.feature"),
  /** The feature's newest values; an element is null where the value was missing. */
  values: json<(number | null)[]>("v.values"),
  lastValueAt: timestampOrNull("v.last_value_at"),
});
export type NewestFeatureValues = Row<typeof NEWEST_VALUES>;

/**
 * The values of each feature in the newest `n` rows of feature values of each slot's champion. A new champion has few
 * rows. If this service trained it, rows of the slot's other models that this service trained are included: they have
 * the same features.
 */
export async function listNewestFeatureValues(
  handle: DatabaseHandle,
  n: number,
): Promise<NewestFeatureValues[]> {
  return NEWEST_VALUES.all(
    handle,
    sql`
    select ${NEWEST_VALUES.list}
      from models m
      cross join lateral (
        select e.key as feature, jsonb_agg(e.value) as values,
               max(f.ts) filter (where e.value <> 'null'::jsonb) as last_value_at
          from (select ts, values from feature_values
                 where slot_id = m.slot_id
                   and (model_v = m.model_v or (m.parameters is not null and exists (
                     select 1 from models o where o.slot_id = m.slot_id and o.model_v = feature_values.model_v
                        and o.parameters is not null)))
                 order by ts desc limit ${n}) f
          cross join lateral jsonb_each(f.values) e
         group by e.key) v
     where m.is_active`,
  );
}

export interface FeatureStatisticRow {
  slotId: number;
  modelV: string;
  feature: string;
  /** Number of compared values, missing ones included. */
  n: number;
  nullPct: number;
  /** Stability index (PSI) of the newest values against the training sample; null: unknown. */
  psi: number | null;
  /** PSI above which the feature is "watch" and "drifted"; null: the fixed thresholds 0.10 and 0.25 apply. */
  watchAbove: number | null;
  driftedAbove: number | null;
  lastValueAt: Date | null;
}

/** Replaces the stored statistics of all features of all slots. Deletes those that `rows` does not contain. */
export async function replaceFeatureStatistics(
  handle: DatabaseHandle,
  rows: FeatureStatisticRow[],
): Promise<void> {
  await handle.execute(sql`delete from feature_statistics`);
  if (rows.length === 0) return;
  const numbers = (pick: (row: FeatureStatisticRow) => number | null, type: "int" | "float8" = "float8") =>
    array(rows.map(pick), type);
  const texts = (pick: (row: FeatureStatisticRow) => string) => array(rows.map(pick), "text");
  await handle.execute(sql`
    insert into feature_statistics (slot_id, model_v, feature, n, null_pct, psi, watch_above, drifted_above, last_value_at)
    select slot_id, model_v, feature, n, null_pct, psi, watch_above, drifted_above, to_timestamp(last_ms / 1000.0)
      from unnest(${numbers((row) => row.slotId, "int")}, ${texts((row) => row.modelV)}, ${texts((row) => row.feature)},
                  ${numbers((row) => row.n, "int")}, ${numbers((row) => row.nullPct)}, ${numbers((row) => row.psi)},
                  ${numbers((row) => row.watchAbove)}, ${numbers((row) => row.driftedAbove)},
                  ${numbers((row) => row.lastValueAt?.getTime() ?? null)})
        as t(slot_id, model_v, feature, n, null_pct, psi, watch_above, drifted_above, last_ms)`);
}

const STATISTIC = columns({
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  feature: text("f.feature"),
  nullPct: number("f.null_pct"),
  psi: number<number | null>("f.psi"),
  watchAbove: number<number | null>("f.watch_above"),
  driftedAbove: number<number | null>("f.drifted_above"),
  lastValueAt: timestampOrNull("f.last_value_at"),
});

/** The stored statistics of all features of all slots, by symbol, slot and feature. */
export async function listFeatureStatistics(handle: DatabaseHandle): Promise<Row<typeof STATISTIC>[]> {
  return STATISTIC.all(
    handle,
    sql`
    select ${STATISTIC.list}
      from feature_statistics f join slots s on s.id = f.slot_id
     order by s.symbol, s.id, f.feature`,
  );
}

/** The stored feature statistics of one slot, highest stability index (PSI) first. */
export async function listSlotFeatureStatistics(handle: DatabaseHandle, slotId: number) {
  return handle
    .select()
    .from(featureStatistics)
    .where(eq(featureStatistics.slotId, slotId))
    .orderBy(sql`${featureStatistics.psi} desc nulls last`, featureStatistics.feature);
}

/**
 * Stability index (PSI) above which a feature counts as broken. The features' thresholds for drift do not show this: 2 % of
 * unchanged features exceed theirs at any time. None of 29,250 windows of 500 values of unchanged features exceeded 7; a
 * feature whose value has become constant has an index of 8.
 */
export const BROKEN_FEATURE_PSI = 7;
const BROKEN_VALUES = 500;

/**
 * Number of champions' features with at least 500 values, missing ones included, whose stability index (PSI) exceeds
 * BROKEN_FEATURE_PSI and the feature's threshold for drift.
 */
export async function countBrokenFeatures(handle: DatabaseHandle): Promise<number> {
  const [row] = await handle.execute<{ n: number }>(sql`
    select count(*)::int as n from feature_statistics f
      join models m on m.slot_id = f.slot_id and m.model_v = f.model_v and m.is_active
     where f.n >= ${BROKEN_VALUES} and f.psi > greatest(${BROKEN_FEATURE_PSI}, f.drifted_above)`);
  return row?.n ?? 0;
}
