import { and, eq, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { models, trainings } from "@/db/schema";
import { epochMs, toInstant, toInstantOrNull } from "./instants";
import type { Slot } from "./slots";

export type TrainingRow = typeof trainings.$inferInsert;

/** A slot as training sees it. */
export interface TrainingState extends Slot {
  /** The champion; null when the slot has none. */
  modelV: string | null;
  /** Whether the champion was trained here, and not ingested. */
  hasParameters: boolean;
  /** Recipe of the champion trained here. */
  champion: string | null;
  /** Whether there are at least as many candles as asked for. */
  hasCandles: boolean;
  firstSeenAt: Date;
  lastTrainedAt: Date | null;
  nTrainings: number;
}

/** Every slot with its champion and its trainings so far; `minCandles` is probed, not counted. */
export async function listTrainingStates(handle: Handle, minCandles: number): Promise<TrainingState[]> {
  const rows = await handle.execute<{
    slot_id: number;
    symbol: string;
    timeframe: string;
    calendar: Slot["calendar"];
    digits: number;
    cost_kind: Slot["costKind"];
    cost_value: number;
    model_v: string | null;
    recipe: string | null;
    has_candles: boolean;
    first_seen_ms: string;
    last_trained_ms: string | null;
    n_trainings: number;
  }>(sql`
    select s.id as slot_id, s.symbol, s.timeframe, y.calendar, y.digits, y.cost_kind, y.cost_value, m.model_v,
           m.parameters -> 'model' ->> 'recipe' as recipe,
           exists (select 1 from candles where slot_id = s.id order by ts offset ${minCandles - 1}) as has_candles,
           ${epochMs("s.created_at")} as first_seen_ms,
           t.last_ms as last_trained_ms, t.n as n_trainings
      from slots s
      join symbols y on y.symbol = s.symbol
      left join models m on m.slot_id = s.id and m.is_active
      cross join lateral (
        select ${epochMs("max(trained_at)")} as last_ms, count(*)::int as n
          from trainings where slot_id = s.id) t
     order by s.symbol, s.id`);
  return rows.map((row) => ({
    slotId: row.slot_id,
    symbol: row.symbol,
    timeframe: row.timeframe,
    calendar: row.calendar,
    digits: row.digits,
    costKind: row.cost_kind,
    costValue: row.cost_value,
    modelV: row.model_v,
    hasParameters: row.recipe !== null,
    champion: row.recipe,
    hasCandles: row.has_candles,
    firstSeenAt: toInstant(row.first_seen_ms),
    lastTrainedAt: toInstantOrNull(row.last_trained_ms),
    nTrainings: row.n_trainings,
  }));
}

/** Records a training. */
export async function insertTraining(handle: Handle, row: TrainingRow): Promise<void> {
  await handle.insert(trainings).values(row);
}

/** What a model's producer needs, as it was stored; null when the model was not trained here. */
export async function findModelParameters(handle: Handle, slotId: number, modelV: string): Promise<unknown> {
  const [row] = await handle
    .select({ parameters: models.parameters })
    .from(models)
    .where(and(eq(models.slotId, slotId), eq(models.modelV, modelV)));
  return row?.parameters ?? null;
}
