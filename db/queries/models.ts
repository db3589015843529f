import { and, asc, desc, eq, ne, sql } from "drizzle-orm";
import { ADVISORY_LOCKS } from "@/db/advisory-locks";
import type { DatabaseHandle } from "@/db/client";
import type { FeatureDriftReferences } from "@/db/schema";
import { models, slotForecastSources, slots } from "@/db/schema";
import type { CalendarName, CostUnit, ForecastSource, Timeframe } from "@/lib/vocabulary";
import { boolean, columns, number, type Row, text, textArray, timestamp, timestampOrNull } from "./columns";
import { array } from "./parameters";
import { IS_BUILT_IN_MODEL, NEWEST_SIGNALS_SEARCHED } from "./slots";
import { versionIncrement } from "./versions";

export interface ModelRow {
  slotId: number;
  modelV: string;
  aucWf: number | null;
  pfWf: number | null;
  /** Number of candles that were evaluated for `aucWf` and `pfWf`; missing or null: unknown. */
  nWf?: number | null;
  /** When this service measured `aucWf` and `pfWf`; missing or null: it did not. */
  measuredAt?: Date | null;
  isActive: boolean;
  trainedAt: Date;
  classFreq: number[] | null;
  featureStats: FeatureDriftReferences | null;
  parameters?: unknown;
}

/** Takes the lock under which champions are changed, until commit. */
export async function lockModels(handle: DatabaseHandle): Promise<void> {
  await handle.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.models})`);
}

/**
 * Registers or updates models. One with `isActive` replaces its slot's champion. Returns the number of new or changed
 * models, without the replaced champions.
 */
export async function upsertModels(handle: DatabaseHandle, rows: ModelRow[]): Promise<number> {
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
        setWhere: sql`(${models.aucWf}, ${models.pfWf}, ${models.nWf}, ${models.measuredAt}, ${models.isActive}, ${models.trainedAt})
            is distinct from (excluded.auc_wf, excluded.pf_wf, excluded.n_wf, excluded.measured_at, excluded.is_active, excluded.trained_at)
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
  costKind: text<CostUnit>("y.cost_kind"),
  costValue: number("y.cost_value"),
});

/** Slots whose champion has this version and was last measured before `measuredBefore`, or never. */
export async function listUnmeasuredSlots(
  handle: DatabaseHandle,
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

/** Stores the walk-forward figures of a slot's champion, if it is still the champion. */
export async function saveWalkForward(
  handle: DatabaseHandle,
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

/** Increases the version of models, so that every replica notices a changed champion with its next key look-up. */
export async function bumpModelsVersion(handle: DatabaseHandle): Promise<void> {
  await handle.execute(sql`update state_versions set ${versionIncrement("models")} where id = 1`);
}

/** Version (`model_v`) of a slot's champion; null: the slot has no champion. */
export async function findChampionVersion(handle: DatabaseHandle, slotId: number): Promise<string | null> {
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
export async function listChampions(handle: DatabaseHandle) {
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
  isBuiltIn: sql<boolean>`${IS_BUILT_IN_MODEL}`,
};

/** Every model version of every slot, or of one slot: by slot, the champion first, then by newest training. */
export async function listModelVersions(
  handle: DatabaseHandle,
  slot?: { symbol: string; timeframe: Timeframe },
) {
  return handle
    .select(VERSION)
    .from(models)
    .innerJoin(slots, eq(slots.id, models.slotId))
    .where(slot && and(eq(slots.symbol, slot.symbol), eq(slots.timeframe, slot.timeframe)))
    .orderBy(slots.symbol, slots.id, desc(models.isActive), desc(models.trainedAt));
}

export async function findModelVersion(handle: DatabaseHandle, id: number): Promise<ModelVersion | null> {
  const [version] = await handle
    .select(VERSION)
    .from(models)
    .innerJoin(slots, eq(slots.id, models.slotId))
    .where(eq(models.id, id));
  return version ?? null;
}

const NAMES = columns({
  symbols: textArray("array(select distinct s.symbol from models m join slots s on s.id = m.slot_id)"),
  timeframes: textArray("array(select distinct s.timeframe from models m join slots s on s.id = m.slot_id)"),
  versions: textArray("array(select distinct model_v from models)"),
});

/** Three separate lists, unordered and without repeats: the symbols, the timeframes and the versions of all models. */
export async function listModelFilterValues(handle: DatabaseHandle): Promise<Row<typeof NAMES>> {
  return NAMES.one(handle, sql`select ${NAMES.list}`);
}

export type ModelVersion = Awaited<ReturnType<typeof listModelVersions>>[number];

/**
 * Version of the model, other than the champion, that has a slot's newest signal, by the daily sums of live signals and
 * the signals of the last three days. If these contain no signal of another model, the one trained last; null: there is
 * no other model.
 */
export async function findFormerModel(
  handle: DatabaseHandle,
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

/** Makes a model the champion of its slot, in place of the former one; `modelId` null: leaves the slot without one. */
export async function setChampion(
  handle: DatabaseHandle,
  slotId: number,
  modelId: number | null,
): Promise<void> {
  await handle.execute(sql`
    update models set is_active = false, champion_since = null
     where slot_id = ${slotId} and is_active and id is distinct from ${modelId}`);
  if (modelId !== null)
    await handle.execute(sql`
      update models set is_active = true, champion_since = now()
       where slot_id = ${slotId} and id = ${modelId} and not is_active`);
}

/** Registers a model version that is not the slot's champion. A version that is registered already is left unchanged. */
export async function addSecondModel(handle: DatabaseHandle, slotId: number, modelV: string): Promise<void> {
  await handle
    .insert(models)
    .values({ slotId, modelV, isActive: false, trainedAt: sql`now()` })
    .onConflictDoNothing();
}

/** The operator's choice of who forecasts a slot; null: no choice was made. */
export async function findForecastSource(
  handle: DatabaseHandle,
  slotId: number,
): Promise<ForecastSource | null> {
  const [row] = await handle
    .select({ forecastBy: slotForecastSources.forecastBy })
    .from(slotForecastSources)
    .where(eq(slotForecastSources.slotId, slotId));
  return row?.forecastBy ?? null;
}

/** The operator's choices of who forecasts a slot, by slot id. */
export async function listForecastSources(handle: DatabaseHandle): Promise<Map<number, ForecastSource>> {
  const rows = await handle
    .select({ slotId: slotForecastSources.slotId, forecastBy: slotForecastSources.forecastBy })
    .from(slotForecastSources);
  return new Map(rows.map(({ slotId, forecastBy }) => [slotId, forecastBy]));
}

export async function writeForecastSource(
  handle: DatabaseHandle,
  slotId: number,
  forecastBy: ForecastSource,
): Promise<void> {
  await handle
    .insert(slotForecastSources)
    .values({ slotId, forecastBy })
    .onConflictDoUpdate({ target: slotForecastSources.slotId, set: { forecastBy } });
}

const CHOSEN = columns({
  slotId: number("f.slot_id"),
  modelV: text<string | null>("m.model_v"),
  isBuiltIn: boolean("coalesce(m.is_built_in, false)"),
});

/** Those of these slots for which the operator chose a forecaster, with their champion (`modelV` null: none). */
export async function listSlotsWithForecastSource(
  handle: DatabaseHandle,
  slotIds: readonly number[],
): Promise<Row<typeof CHOSEN>[]> {
  return CHOSEN.all(
    handle,
    sql`
    select ${CHOSEN.list} from slot_forecasters f
      left join (select slot_id, model_v, ${IS_BUILT_IN_MODEL} as is_built_in from models where is_active) m
        on m.slot_id = f.slot_id
     where f.slot_id = any(${array([...slotIds], "int")})`,
  );
}

/** The registered models of these slots that are not the champion of a slot that has one, as `slot id/version`. */
export async function listModelsBesideChampion(
  handle: DatabaseHandle,
  slotIds: readonly number[],
): Promise<Set<string>> {
  const rows = await handle.execute<{ model: string }>(sql`
    select slot_id || '/' || model_v as model from models m
     where slot_id = any(${array([...slotIds], "int")}) and not is_active
       and exists (select 1 from models where slot_id = m.slot_id and is_active)`);
  return new Set(rows.map(({ model }) => model));
}

/** Demotes every champion that is a built-in model. Returns their number. */
export async function demoteBuiltInChampions(handle: DatabaseHandle): Promise<number> {
  const rows = await handle.execute(
    sql`update models set is_active = false, champion_since = null where is_active and ${IS_BUILT_IN_MODEL} returning id`,
  );
  return rows.length;
}

// Built-in models of slots without a champion, except slots that the operator reserved for own models.
const UNSERVED = sql`
  from models m
 where ${IS_BUILT_IN_MODEL}
   and not exists (select 1 from models c where c.slot_id = m.slot_id and c.is_active)
   and not exists (select 1 from slot_forecasters f where f.slot_id = m.slot_id and f.forecast_by = 'own')`;

/**
 * Makes the newest built-in model the champion of each slot without a champion, except slots that the operator reserved for
 * own models. Returns the number of changed slots.
 */
export async function reinstateBuiltInChampions(handle: DatabaseHandle): Promise<number> {
  const rows = await handle.execute(sql`
    update models set is_active = true, champion_since = now()
     where id in (select distinct on (m.slot_id) m.id ${UNSERVED} order by m.slot_id, m.trained_at desc, m.id desc)
    returning id`);
  return rows.length;
}

const BUILT_IN_COUNTS = columns({
  serving: number(sql`(select count(*)::int from models where is_active and ${IS_BUILT_IN_MODEL})`),
  unserved: number(sql`(select count(distinct m.slot_id)::int ${UNSERVED})`),
});

/** Number of slots with a built-in champion, and of slots that would get one from reinstateBuiltInChampions. */
export async function countBuiltInChampions(handle: DatabaseHandle): Promise<Row<typeof BUILT_IN_COUNTS>> {
  return BUILT_IN_COUNTS.one(handle, sql`select ${BUILT_IN_COUNTS.list}`);
}

const OPERATOR_MODEL = columns({
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  calendar: text<CalendarName>("y.calendar"),
  modelV: text("m.model_v"),
  /** Whether the model is the champion, whose signals subscribers see; else it is the slot's second model. */
  isShown: boolean("m.is_active"),
  since: timestamp("coalesce(m.champion_since, m.created_at)"),
  /** Open time of the candle of the model's newest signal; null: none of the slot's newest 50 signals is from this model. */
  lastTs: timestampOrNull("l.ts"),
});
export type OperatorModel = Row<typeof OPERATOR_MODEL>;

/**
 * The operator's own models that should send signals, at most one per slot: champions, and second models of slots
 * forecast by both.
 */
export async function listOperatorModels(handle: DatabaseHandle): Promise<OperatorModel[]> {
  return OPERATOR_MODEL.all(
    handle,
    sql`
    select ${OPERATOR_MODEL.list}
      from slots s
      join symbols y on y.symbol = s.symbol
      left join slot_forecasters f on f.slot_id = s.id
      cross join lateral (
        select * from models
         where slot_id = s.id and not (${IS_BUILT_IN_MODEL}) and (is_active or f.forecast_by = 'both')
         order by is_active desc, trained_at desc, id desc limit 1) m
      cross join lateral (
        select max(ts) as ts from (
          select ts, model_v from signals where slot_id = s.id order by ts desc limit ${NEWEST_SIGNALS_SEARCHED}) n
         where n.model_v = m.model_v) l
     order by s.symbol, s.id`,
  );
}

const SECOND_MODEL = columns({
  modelV: text("g.model_v"),
  n: number("count(*)::int"),
  nFollowed: number("count(o.result_r)::int"),
  wins: number("count(*) filter (where o.result_r > 0)::int"),
  meanR: number<number | null>("avg(o.result_r)"),
  lastTs: timestamp("max(g.ts)"),
});
export type SecondModelFigures = Row<typeof SECOND_MODEL>;

/**
 * By model: number and results of a slot's forecasts for candles opened since `since` that came from its second model, whose
 * signals are not delivered (`beside`).
 */
export async function listSecondModelFigures(
  handle: DatabaseHandle,
  wanted: { slotId: number; since: Date },
): Promise<SecondModelFigures[]> {
  return SECOND_MODEL.all(
    handle,
    sql`
    select ${SECOND_MODEL.list} from signals g left join outcomes o on o.signal_id = g.id
     where g.slot_id = ${wanted.slotId} and g.ts >= ${wanted.since.toISOString()}::timestamptz and g.beside
     group by g.model_v order by g.model_v`,
  );
}
