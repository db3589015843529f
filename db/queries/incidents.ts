import { and, desc, eq, gt, gte, isNull, or, sql } from "drizzle-orm";
import { LOCKS } from "@/db/advisory-locks";
import type { Handle, Transaction } from "@/db/client";
import { healthProbes, incidents, maintenances } from "@/db/schema";
import type { HealthState } from "@/lib/vocabulary";

export type IncidentRow = typeof incidents.$inferSelect;
export type MaintenanceRow = typeof maintenances.$inferSelect;

/** Serialises those who open and close incidents until the transaction ends. */
export async function lockIncidents(handle: Transaction): Promise<void> {
  await handle.execute(sql`select pg_advisory_xact_lock(${LOCKS.incidents})`);
}

export interface Probe {
  minute: Date;
  status: HealthState;
  reasons: string[];
  components: Record<string, HealthState>;
}

/** The newest probes, newest first. */
export async function listNewestProbes(handle: Handle, limit: number): Promise<Probe[]> {
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

/** Incidents that have not ended. */
export async function listOpenIncidents(handle: Handle): Promise<IncidentRow[]> {
  return handle.select().from(incidents).where(isNull(incidents.closedAt)).orderBy(desc(incidents.openedAt));
}

/** Incidents that are open or were opened since `since`, newest first. */
export async function listIncidents(handle: Handle, since: Date, limit: number): Promise<IncidentRow[]> {
  return handle
    .select()
    .from(incidents)
    .where(or(isNull(incidents.closedAt), gte(incidents.openedAt, since)))
    .orderBy(desc(incidents.openedAt), desc(incidents.id))
    .limit(limit);
}

export async function insertIncident(handle: Handle, incident: typeof incidents.$inferInsert): Promise<void> {
  await handle.insert(incidents).values(incident);
}

export async function worsenIncident(handle: Handle, id: number, reasons: string[]): Promise<void> {
  await handle.update(incidents).set({ severity: "down", reasons }).where(eq(incidents.id, id));
}

/** Replaces the reasons of an incident that goes on. */
export async function explainIncident(handle: Handle, id: number, reasons: string[]): Promise<void> {
  await handle.update(incidents).set({ reasons }).where(eq(incidents.id, id));
}

export async function closeIncident(handle: Handle, id: number, closedAt: Date): Promise<void> {
  await handle.update(incidents).set({ closedAt }).where(eq(incidents.id, id));
}

/** Maintenance that has not ended yet, soonest first. */
export async function listComingMaintenances(handle: Handle, now: Date): Promise<MaintenanceRow[]> {
  return handle
    .select()
    .from(maintenances)
    .where(gte(maintenances.endsAt, now))
    .orderBy(maintenances.startsAt);
}

/** Announces a maintenance; returns its id. */
export async function insertMaintenance(
  handle: Handle,
  row: Pick<MaintenanceRow, "startsAt" | "endsAt" | "message">,
): Promise<number> {
  const [inserted] = await handle.insert(maintenances).values(row).returning({ id: maintenances.id });
  if (!inserted) throw new Error("the insert returned no maintenance");
  return inserted.id;
}

/** Takes back a maintenance that is not over at `now`. Returns whether there was one. */
export async function deleteMaintenance(handle: Handle, id: number, now: Date): Promise<boolean> {
  const gone = await handle
    .delete(maintenances)
    .where(and(eq(maintenances.id, id), gt(maintenances.endsAt, now)))
    .returning({ id: maintenances.id });
  return gone.length > 0;
}
