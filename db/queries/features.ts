import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import type { FeatureStats } from "@/db/schema";
import { epochMs, toInstantOrNull } from "./instants";
import { array } from "./parameters";

export interface FeatureRow {
  slotId: number;
  ts: Date;
  modelV: string;
  values: Record<string, number | null>;
}

/** Stores feature values; other ones for the same slot, candle and model replace them. Returns how many were new or changed. */
export async function upsertFeatures(handle: Handle, rows: FeatureRow[]): Promise<number> {
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

export interface FeatureSample {
  slotId: number;
  modelV: string;
  featureStats: FeatureStats | null;
  feature: string;
  /** The newest values, null where it was missing. */
  values: (number | null)[];
  lastValueAt: Date | null;
}

/** The newest `n` values of each feature of each slot's champion. */
export async function listFeatureSamples(handle: Handle, n: number): Promise<FeatureSample[]> {
  const rows = await handle.execute<{
    slot_id: number;
    model_v: string;
    feature_stats: FeatureStats | null;
    feature: string;
    values: (number | null)[];
    last_ms: string | null;
  }>(sql`
    select m.slot_id, m.model_v, m.feature_stats, v.feature, v.values, v.last_ms
      from models m
      cross join lateral (
        select e.key as feature, jsonb_agg(e.value) as values,
               ${epochMs("max(f.ts) filter (where e.value <> 'null'::jsonb)")} as last_ms
          from (select ts, values from feature_values
                 where slot_id = m.slot_id and model_v = m.model_v order by ts desc limit ${n}) f
          cross join lateral jsonb_each(f.values) e
         group by e.key) v
     where m.is_active`);
  return rows.map((row) => ({
    slotId: row.slot_id,
    modelV: row.model_v,
    featureStats: row.feature_stats,
    feature: row.feature,
    values: row.values,
    lastValueAt: toInstantOrNull(row.last_ms),
  }));
}

export interface FeatureStatisticRow {
  slotId: number;
  modelV: string;
  feature: string;
  n: number;
  nullPct: number;
  psi: number | null;
  lastValueAt: Date | null;
}

/** Replaces the statistics of all features. */
export async function replaceFeatureStatistics(handle: Handle, rows: FeatureStatisticRow[]): Promise<void> {
  await handle.execute(sql`delete from feature_statistics`);
  if (rows.length === 0) return;
  const numbers = (pick: (row: FeatureStatisticRow) => number | null, type: "int" | "float8" = "float8") =>
    array(rows.map(pick), type);
  const texts = (pick: (row: FeatureStatisticRow) => string) => array(rows.map(pick), "text");
  await handle.execute(sql`
    insert into feature_statistics (slot_id, model_v, feature, n, null_pct, psi, last_value_at)
    select slot_id, model_v, feature, n, null_pct, psi, to_timestamp(last_ms / 1000.0)
      from unnest(${numbers((row) => row.slotId, "int")}, ${texts((row) => row.modelV)}, ${texts((row) => row.feature)},
                  ${numbers((row) => row.n, "int")}, ${numbers((row) => row.nullPct)}, ${numbers((row) => row.psi)},
                  ${numbers((row) => row.lastValueAt?.getTime() ?? null)})
        as t(slot_id, model_v, feature, n, null_pct, psi, last_ms)`);
}

/** Statistics of every feature by slot. */
export async function listFeatureStatistics(handle: Handle) {
  const rows = await handle.execute<{
    symbol: string;
    timeframe: string;
    feature: string;
    null_pct: number;
    psi: number | null;
    last_ms: string | null;
  }>(sql`
    select s.symbol, s.timeframe, f.feature, f.null_pct, f.psi, ${epochMs("f.last_value_at")} as last_ms
      from feature_statistics f join slots s on s.id = f.slot_id
     order by s.symbol, s.id, f.feature`);
  return rows.map((row) => ({
    symbol: row.symbol,
    timeframe: row.timeframe,
    feature: row.feature,
    nullPct: row.null_pct,
    psi: row.psi,
    lastValueAt: toInstantOrNull(row.last_ms),
  }));
}
