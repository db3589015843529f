import { and, desc, eq, isNull, sql } from "drizzle-orm";
import type { Handle } from "../client";
import { healthProbes, incidents } from "../schema";

/** The newest probes, newest first. */
export async function listNewestProbes(handle: Handle, n: number) {
  return handle.select().from(healthProbes).orderBy(desc(healthProbes.minute)).limit(n);
}

/** Opens an incident unless the component has one open; two workers at once open one. Returns whether it was new. */
export async function openIncident(
  handle: Handle,
  incident: { component: string; severity: "degraded" | "down"; reasons: string[]; openedAt: Date },
): Promise<boolean> {
  const rows = await handle
    .insert(incidents)
    .values(incident)
    .onConflictDoNothing()
    .returning({ id: incidents.id });
  return rows.length > 0;
}

/** An open incident got worse, or was judged by more: the worst severity and its reasons stand. */
export async function escalateIncident(
  handle: Handle,
  incident: { component: string; reasons: string[] },
): Promise<void> {
  await handle
    .update(incidents)
    .set({ severity: "down", reasons: incident.reasons })
    .where(
      and(
        eq(incidents.component, incident.component),
        isNull(incidents.closedAt),
        eq(incidents.severity, "degraded"),
      ),
    );
}

/** Closes the component's open incident. Returns whether there was one. */
export async function closeIncident(handle: Handle, component: string, closedAt: Date): Promise<boolean> {
  const rows = await handle
    .update(incidents)
    .set({ closedAt })
    .where(and(eq(incidents.component, component), isNull(incidents.closedAt)))
    .returning({ id: incidents.id });
  return rows.length > 0;
}

/** Incidents by opening, newest first. */
export async function listIncidents(handle: Handle, limit: number) {
  return handle.select().from(incidents).orderBy(sql`${incidents.openedAt} desc nulls last`).limit(limit);
}
