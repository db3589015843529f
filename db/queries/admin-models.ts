import { desc, eq, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { featureStatistics, models, slots } from "@/db/schema";
import { epochMs, toInstant } from "./instants";

/** Every model version of every slot, champions first, newest training first. */
export async function listModelVersions(handle: Handle) {
  return handle
    .select({
      id: models.id,
      slotId: models.slotId,
      symbol: slots.symbol,
      timeframe: slots.timeframe,
      modelV: models.modelV,
      aucWf: models.aucWf,
      pfWf: models.pfWf,
      isActive: models.isActive,
      trainedAt: models.trainedAt,
      championSince: models.championSince,
      classFreq: models.classFreq,
    })
    .from(models)
    .innerJoin(slots, eq(slots.id, models.slotId))
    .orderBy(slots.symbol, slots.id, desc(models.isActive), desc(models.trainedAt));
}

export type ModelVersion = Awaited<ReturnType<typeof listModelVersions>>[number];

/** Feature health of one slot's models, worst drift first. */
export async function listSlotFeatures(handle: Handle, slotId: number) {
  return handle
    .select()
    .from(featureStatistics)
    .where(eq(featureStatistics.slotId, slotId))
    .orderBy(sql`${featureStatistics.psi} desc nulls last`, featureStatistics.feature);
}

/** How many features of champions have drifted: a PSI above 0.25. */
export async function countDriftedFeatures(handle: Handle): Promise<number> {
  const [row] = await handle.execute<{ n: number }>(sql`
    select count(*)::int as n from feature_statistics f
      join models m on m.slot_id = f.slot_id and m.model_v = f.model_v and m.is_active
     where f.psi > 0.25`);
  return row?.n ?? 0;
}

/** The model that made a slot's signals before `since`: the one that its champion replaced. null when there is none. */
export async function findFormerModel(
  handle: Handle,
  slotId: number,
  championV: string,
): Promise<string | null> {
  const [row] = await handle.execute<{ model_v: string }>(sql`
    select model_v from models where slot_id = ${slotId} and model_v <> ${championV}
     order by (select max(ts) from signals g where g.slot_id = models.slot_id and g.model_v = models.model_v) desc nulls last,
              trained_at desc limit 1`);
  return row?.model_v ?? null;
}

export interface ResultRow {
  endedAt: Date;
  resultR: number;
}

/** Results in R of the directions that one model signalled in the last `days`, in the order in which they ended. */
export async function listResults(
  handle: Handle,
  query: { slotId: number; modelV: string; days: number },
): Promise<ResultRow[]> {
  const rows = await handle.execute<{ ended_ms: string; result_r: number }>(sql`
    select ${epochMs("ended_at")} as ended_ms, result_r from outcomes
     where slot_id = ${query.slotId} and closes_at > now() - make_interval(days => ${query.days})
       and model_v = ${query.modelV} and result_r is not null
     order by ended_at, signal_id`);
  return rows.map((row) => ({ endedAt: toInstant(row.ended_ms), resultR: row.result_r }));
}
