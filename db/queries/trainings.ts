import { and, desc, eq, ne, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { models, trainings } from "@/db/schema";
import { boolean, columns, type DecodedRow, json, number, text, timestamp, timestampOrNull } from "./columns";
import { array } from "./parameters";
import { SLOT_COLUMNS } from "./slots";

export type TrainingRow = typeof trainings.$inferInsert;

const TRAINING_STATE = {
  ...SLOT_COLUMNS,
  /** Version of the champion; null: the slot has none. */
  modelV: text<string | null>("m.model_v"),
  /** Recipe of a champion that this service trained; null: no champion, a baseline, or an operator's own model. */
  champion: text<string | null>("m.parameters -> 'model' ->> 'recipe'"),
  firstSeenAt: timestamp("s.created_at"),
  lastTrainedAt: timestampOrNull("t.last_trained_at"),
  nTrainings: number("t.n"),
};

/** From this number of candles on, doubled candles are no reason to train again: a training reads at most 80,000. */
const DOUBLED_UP_TO = 40_000;

/** What the training job needs to know about a slot. */
export interface SlotTrainingState extends DecodedRow<typeof TRAINING_STATE> {
  /** Whether the slot has the required number of candles, `minCandles`. */
  hasCandles: boolean;
  /**
   * Whether the slot has at least twice as many candles as its largest training used, if that used fewer than 40,000.
   */
  hasDoubled: boolean;
  /** Whether the champion was trained by this service. */
  hasParameters: boolean;
}

/** The training state of every slot. Does not count the candles, but looks up whether there are `minCandles`. */
export async function listTrainingStates(
  handle: DatabaseHandle,
  minCandles: number,
): Promise<SlotTrainingState[]> {
  const state = columns({
    ...TRAINING_STATE,
    hasCandles: boolean(
      sql`exists (select 1 from candles where slot_id = s.id order by ts offset ${minCandles - 1})`,
    ),
    hasDoubled: boolean(sql`t.n_candles < ${DOUBLED_UP_TO} and exists (
      select 1 from candles where slot_id = s.id order by ts offset 2 * t.n_candles - 1)`),
  });
  const rows = await state.all(
    handle,
    sql`
    select ${state.list}
      from slots s
      join symbols y on y.symbol = s.symbol
      left join models m on m.slot_id = s.id and m.is_active
      cross join lateral (
        select max(trained_at) as last_trained_at, count(*)::int as n, coalesce(max(n_candles), ${DOUBLED_UP_TO}) as n_candles
          from trainings where slot_id = s.id) t
     order by s.symbol, s.id`,
  );
  return rows.map((row) => ({ ...row, hasParameters: row.champion !== null }));
}

const EVIDENCE = columns({
  weeks: json<{ firstWeek: number; byRecipe: Record<string, number[]> } | null>("t.scores -> 'weeks'"),
});

/** Weekly scores by recipe, from the newest training of each of these slots. Slots without weekly scores are left out. */
export async function listWeeklyScores(handle: DatabaseHandle, slotIds: readonly number[]) {
  const rows = await EVIDENCE.all(
    handle,
    sql`
    select ${EVIDENCE.list}
      from unnest(${array([...slotIds], "int")}) as s(id)
      cross join lateral (
        select scores from trainings where slot_id = s.id order by trained_at desc limit 1) t`,
  );
  return rows.flatMap(({ weeks }) => (weeks === null ? [] : [weeks]));
}

/** Why a training made this model the champion of its slot, newest first; null: no training promoted it. */
export async function findPromotionReason(
  handle: DatabaseHandle,
  slotId: number,
  modelV: string,
): Promise<string | null> {
  const [row] = await handle
    .select({ reason: trainings.reason })
    .from(trainings)
    .where(and(eq(trainings.slotId, slotId), eq(trainings.modelV, modelV), ne(trainings.change, "kept")))
    .orderBy(desc(trainings.trainedAt))
    .limit(1);
  return row?.reason ?? null;
}

export async function insertTraining(handle: DatabaseHandle, row: TrainingRow): Promise<void> {
  await handle.insert(trainings).values(row);
}

/** The stored parameters of a model; null: unknown model, or not trained by this service. */
export async function findModelParameters(
  handle: DatabaseHandle,
  slotId: number,
  modelV: string,
): Promise<unknown> {
  const [row] = await handle
    .select({ parameters: models.parameters })
    .from(models)
    .where(and(eq(models.slotId, slotId), eq(models.modelV, modelV)));
  return row?.parameters ?? null;
}
