import { and, asc, desc, eq, ne, sql } from "drizzle-orm";
import { LOCKS } from "@/db/advisory-locks";
import type { Handle } from "@/db/client";
import type { FeatureStats } from "@/db/schema";
import { models, slots } from "@/db/schema";
import type { CostKind, Timeframe } from "@/lib/vocabulary";
import { columns, number, type Row, text, texts } from "./columns";
import { moveVersion } from "./versions";

export interface ModelRow {
  slotId: number;
  modelV: string;
  aucWf: number | null;
  pfWf: number | null;
  /** Candles that these two were measured on, and when; left out where that is not known. */
  nWf?: number | null;
  measuredAt?: Date | null;
  isActive: boolean;
  trainedAt: Date;
  classFreq: number[] | null;
  featureStats: FeatureStats | null;
  parameters?: unknown;
}

/** Serialises changes of champions until the transaction ends. */
export async function lockModels(handle: Handle): Promise<void> {
  await handle.execute(sql`select pg_advisory_xact_lock(${LOCKS.models})`);
}

/** Registers or updates models one by one (they are few). Returns how many were new or changed. */
export async function upsertModels(handle: Handle, rows: ModelRow[]): Promise<number> {
  let changed = 0;
  for (const row of rows) {
    if (row.isActive) {
      await handle
        .update(models)
        .set({ isActive: false, championSince: null })
        .where(and(eq(models.slotId, row.slotId), eq(models.isActive, true), ne(models.modelV, row.modelV)));
    }
    const championSince = row.isActive ? sql`coalesce(${models.championSince}, now())` : sql`null`;
    const written = await handle
      .insert(models)
      .values({ ...row, championSince: row.isActive ? new Date() : null })
      .onConflictDoUpdate({
        target: [models.slotId, models.modelV],
        set: {
          aucWf: row.aucWf,
          pfWf: row.pfWf,
          nWf: row.nWf ?? null,
          measuredAt: row.measuredAt ?? null,
          isActive: row.isActive,
          trainedAt: row.trainedAt,
          classFreq: row.classFreq ?? sql`${models.classFreq}`,
          featureStats: row.featureStats ?? sql`${models.featureStats}`,
          parameters: row.parameters ?? sql`${models.parameters}`,
          championSince,
        },
        setWhere: sql`(${models.aucWf}, ${models.pfWf}, ${models.isActive}, ${models.trainedAt})
            is distinct from (excluded.auc_wf, excluded.pf_wf, excluded.is_active, excluded.trained_at)
          or (excluded.class_freq is not null and ${models.classFreq} is distinct from excluded.class_freq)
          or (excluded.feature_stats is not null and ${models.featureStats} is distinct from excluded.feature_stats)
          or (excluded.parameters is not null and ${models.parameters} is distinct from excluded.parameters)`,
      })
      .returning({ id: models.id });
    changed += written.length;
  }
  return changed;
}

const UNMEASURED = columns({
  slotId: number("m.slot_id"),
  costKind: text<CostKind>("y.cost_kind"),
  costValue: number("y.cost_value"),
});

/** Champions of a version whose walk-forward figures were last measured before an instant, or never. */
export async function listUnmeasured(
  handle: Handle,
  wanted: { modelV: string; measuredBefore: Date },
): Promise<Row<typeof UNMEASURED>[]> {
  return UNMEASURED.all(
    handle,
    sql`
    select ${UNMEASURED.list} from models m
      join slots s on s.id = m.slot_id join symbols y on y.symbol = s.symbol
     where m.is_active and m.model_v = ${wanted.modelV}
       and (m.measured_at is null or m.measured_at < ${wanted.measuredBefore.toISOString()}::timestamptz)
     order by m.slot_id`,
  );
}

/** Writes down the walk-forward figures of a slot's champion, while it is the champion. */
export async function saveWalkForward(
  handle: Handle,
  {
    slotId,
    modelV,
    ...figures
  }: {
    slotId: number;
    modelV: string;
    aucWf: number | null;
    pfWf: number | null;
    nWf: number | null;
    measuredAt: Date;
  },
): Promise<void> {
  await handle
    .update(models)
    .set(figures)
    .where(and(eq(models.slotId, slotId), eq(models.modelV, modelV), eq(models.isActive, true)));
}

/** Tells every instance that a champion changed: it is read with every key look-up. */
export async function bumpModelsVersion(handle: Handle): Promise<void> {
  await handle.execute(sql`update state_versions set ${moveVersion("models")} where id = 1`);
}

/** Version of a slot's champion, or null when it has none. */
export async function findChampionVersion(handle: Handle, slotId: number): Promise<string | null> {
  const [row] = await handle
    .select({ modelV: models.modelV })
    .from(models)
    .where(and(eq(models.slotId, slotId), eq(models.isActive, true)));
  return row?.modelV ?? null;
}

const CHAMPION = {
  slotId: models.slotId,
  symbol: slots.symbol,
  timeframe: slots.timeframe,
  modelV: models.modelV,
  aucWf: models.aucWf,
  pfWf: models.pfWf,
  nWf: models.nWf,
  trainedAt: models.trainedAt,
  classFreq: models.classFreq,
};

/** The champion of each slot, by symbol. */
export async function listChampions(handle: Handle) {
  return handle
    .select(CHAMPION)
    .from(models)
    .innerJoin(slots, eq(slots.id, models.slotId))
    .where(eq(models.isActive, true))
    .orderBy(asc(slots.symbol), asc(slots.id));
}

const VERSION = {
  ...CHAMPION,
  id: models.id,
  isActive: models.isActive,
  championSince: models.championSince,
};

/** Every model version of every slot, or of one, champions first, newest training first. */
export async function listModelVersions(handle: Handle, slot?: { symbol: string; timeframe: Timeframe }) {
  return handle
    .select(VERSION)
    .from(models)
    .innerJoin(slots, eq(slots.id, models.slotId))
    .where(slot && and(eq(slots.symbol, slot.symbol), eq(slots.timeframe, slot.timeframe)))
    .orderBy(slots.symbol, slots.id, desc(models.isActive), desc(models.trainedAt));
}

export async function findModelVersion(handle: Handle, id: number): Promise<ModelVersion | null> {
  const [version] = await handle
    .select(VERSION)
    .from(models)
    .innerJoin(slots, eq(slots.id, models.slotId))
    .where(eq(models.id, id));
  return version ?? null;
}

const NAMES = columns({
  symbols: texts("array(select distinct s.symbol from models m join slots s on s.id = m.slot_id)"),
  timeframes: texts("array(select distinct s.timeframe from models m join slots s on s.id = m.slot_id)"),
  versions: texts("array(select distinct model_v from models)"),
});

/** What models there are, in words: their symbols, timeframes and versions, each once, in no order. */
export async function listModelNames(handle: Handle): Promise<Row<typeof NAMES>> {
  return NAMES.one(handle, sql`select ${NAMES.list}`);
}

export type ModelVersion = Awaited<ReturnType<typeof listModelVersions>>[number];

/**
 * The model that made a slot's signals before its champion did; null when there is none. By the sums of days, and by the
 * signals of those that may not be summed up yet.
 */
export async function findFormerModel(
  handle: Handle,
  slotId: number,
  championV: string,
): Promise<string | null> {
  const [row] = await handle.execute<{ model_v: string }>(sql`
    select model_v from models m where slot_id = ${slotId} and model_v <> ${championV}
     order by greatest(
                (select max(last_ts) from signal_days d where d.slot_id = m.slot_id and d.model_v = m.model_v),
                (select max(ts) from signals g
                  where g.slot_id = m.slot_id and g.model_v = m.model_v and g.ts > now() - make_interval(days => 3))
              ) desc nulls last, trained_at desc limit 1`);
  return row?.model_v ?? null;
}
