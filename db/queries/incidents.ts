import { and, asc, desc, eq, gt, gte, inArray, isNull, or, sql } from "drizzle-orm";
import { ADVISORY_LOCKS } from "@/db/advisory-locks";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { healthProbes, incidents, incidentUpdates, maintenances, postedIncidents } from "@/db/schema";
import type { HealthState, IncidentStage } from "@/lib/vocabulary";

export type IncidentRow = typeof incidents.$inferSelect;
export type MaintenanceRow = typeof maintenances.$inferSelect;
export type PostedIncidentRow = typeof postedIncidents.$inferSelect;
export type IncidentUpdateRow = typeof incidentUpdates.$inferSelect;

/** Reference to an automatic incident (`incidentId`), or to one written by an administrator (`postedId`). */
export type IncidentReference = { incidentId: number } | { postedId: number };

/** Takes the advisory lock under which incidents are opened and automatic ones are changed, and holds it until commit. */
export async function lockIncidents(handle: Transaction): Promise<void> {
  await handle.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.incidents})`);
}

export interface HealthProbe {
  minute: Date;
  status: HealthState;
  reasons: string[];
  components: Record<string, HealthState>;
}

/** The newest health probes, newest first. */
export async function listNewestProbes(handle: DatabaseHandle, limit: number): Promise<HealthProbe[]> {
  return handle
    .select({
      minute: healthProbes.minute,
      status: healthProbes.status,
      reasons: healthProbes.reasons,
      components: healthProbes.components,
    })
    .from(healthProbes)
    .orderBy(desc(healthProbes.minute))
    .limit(limit);
}

/** Open automatic incidents, newest first. */
export async function listOpenIncidents(handle: DatabaseHandle): Promise<IncidentRow[]> {
  return handle.select().from(incidents).where(isNull(incidents.closedAt)).orderBy(desc(incidents.openedAt));
}

/** Automatic incidents that are open or were opened since `since`, newest first. */
export async function listIncidents(
  handle: DatabaseHandle,
  since: Date,
  limit: number,
): Promise<IncidentRow[]> {
  return handle
    .select()
    .from(incidents)
    .where(or(isNull(incidents.closedAt), gte(incidents.openedAt, since)))
    .orderBy(desc(incidents.openedAt), desc(incidents.id))
    .limit(limit);
}

export async function insertIncident(
  handle: DatabaseHandle,
  incident: typeof incidents.$inferInsert,
): Promise<void> {
  await handle.insert(incidents).values(incident);
}

/** Sets the severity of an automatic incident to `down` and replaces its reasons. */
export async function worsenIncident(handle: DatabaseHandle, id: number, reasons: string[]): Promise<void> {
  await handle.update(incidents).set({ severity: "down", reasons }).where(eq(incidents.id, id));
}

/** Replaces the reasons of an automatic incident. */
export async function updateIncidentReasons(
  handle: DatabaseHandle,
  id: number,
  reasons: string[],
): Promise<void> {
  await handle.update(incidents).set({ reasons }).where(eq(incidents.id, id));
}

export async function closeIncident(handle: DatabaseHandle, id: number, closedAt: Date): Promise<void> {
  await handle.update(incidents).set({ closedAt }).where(eq(incidents.id, id));
}

/** Stores an incident written by an administrator; returns its id. */
export async function insertPostedIncident(
  tx: Transaction,
  row: Pick<PostedIncidentRow, "title" | "severity">,
): Promise<number> {
  const [inserted] = await tx.insert(postedIncidents).values(row).returning({ id: postedIncidents.id });
  if (!inserted) throw new Error("the insert returned no incident");
  return inserted.id;
}

/** Title of an open incident that an administrator wrote after the one with this id; null: none. */
export async function findPostedIncidentAfter(handle: DatabaseHandle, id: number): Promise<string | null> {
  const [row] = await handle
    .select({ title: postedIncidents.title })
    .from(postedIncidents)
    .where(and(gt(postedIncidents.id, id), isNull(postedIncidents.resolvedAt)))
    .orderBy(desc(postedIncidents.id))
    .limit(1);
  return row?.title ?? null;
}

/** Locks an incident until commit, so that it is resolved once. Returns whether it is open; null: no such incident. */
export async function lockIncident(tx: Transaction, of: IncidentReference): Promise<boolean | null> {
  const [row] =
    "postedId" in of
      ? await tx
          .select({ endedAt: postedIncidents.resolvedAt })
          .from(postedIncidents)
          .where(eq(postedIncidents.id, of.postedId))
          .for("update")
      : await tx
          .select({ endedAt: incidents.closedAt })
          .from(incidents)
          .where(eq(incidents.id, of.incidentId))
          .for("update");
  return row ? row.endedAt === null : null;
}

/** Stores an update of an incident; returns the update's id. */
export async function insertIncidentUpdate(
  handle: DatabaseHandle,
  of: IncidentReference,
  update: { stage: IncidentStage; message: string },
): Promise<number> {
  const [row] = await handle
    .insert(incidentUpdates)
    .values({ ...of, ...update })
    .returning({ id: incidentUpdates.id });
  if (!row) throw new Error("an update of an incident was not stored");
  return row.id;
}

/** Marks an incident written by an administrator as resolved now; returns its title. Throws if there is none. */
export async function resolvePostedIncident(tx: Transaction, id: number): Promise<string> {
  const [row] = await tx
    .update(postedIncidents)
    .set({ resolvedAt: sql`now()` })
    .where(eq(postedIncidents.id, id))
    .returning({ title: postedIncidents.title });
  if (!row) throw new Error("no such incident");
  return row.title;
}

/** Incidents written by administrators that are open or were opened since `since`, newest first. */
export async function listPostedIncidents(
  handle: DatabaseHandle,
  since: Date,
  limit: number,
): Promise<PostedIncidentRow[]> {
  return handle
    .select()
    .from(postedIncidents)
    .where(or(isNull(postedIncidents.resolvedAt), gte(postedIncidents.openedAt, since)))
    .orderBy(desc(postedIncidents.openedAt), desc(postedIncidents.id))
    .limit(limit);
}

/** The updates of these incidents, oldest first. */
export async function listIncidentUpdates(
  handle: DatabaseHandle,
  of: { incidentIds: readonly number[]; postedIds: readonly number[] },
): Promise<IncidentUpdateRow[]> {
  return handle
    .select()
    .from(incidentUpdates)
    .where(
      or(
        inArray(incidentUpdates.incidentId, [...of.incidentIds]),
        inArray(incidentUpdates.postedId, [...of.postedIds]),
      ),
    )
    .orderBy(asc(incidentUpdates.id));
}

/** Maintenance periods that have not ended at `now`, by their start. */
export async function listUnfinishedMaintenances(
  handle: DatabaseHandle,
  now: Date,
): Promise<MaintenanceRow[]> {
  return handle
    .select()
    .from(maintenances)
    .where(gte(maintenances.endsAt, now))
    .orderBy(maintenances.startsAt);
}

/** Stores a planned maintenance period; returns its id. */
export async function insertMaintenance(
  handle: DatabaseHandle,
  row: Pick<MaintenanceRow, "startsAt" | "endsAt" | "message">,
): Promise<number> {
  const [inserted] = await handle.insert(maintenances).values(row).returning({ id: maintenances.id });
  if (!inserted) throw new Error("the insert returned no maintenance");
  return inserted.id;
}

/** Deletes a maintenance period that has not ended at `now`. Returns whether there was one. */
export async function deleteMaintenance(handle: DatabaseHandle, id: number, now: Date): Promise<boolean> {
  const gone = await handle
    .delete(maintenances)
    .where(and(eq(maintenances.id, id), gt(maintenances.endsAt, now)))
    .returning({ id: maintenances.id });
  return gone.length > 0;
}
