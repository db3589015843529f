import { sql } from "drizzle-orm";
import type { Handle } from "../client";
import { healthProbes } from "../schema";

/** Stores the probe of a minute; the first one of it stands. Returns whether this was the first. */
export async function insertProbe(handle: Handle, probe: typeof healthProbes.$inferInsert): Promise<boolean> {
  const stored = await handle
    .insert(healthProbes)
    .values(probe)
    .onConflictDoNothing()
    .returning({ minute: healthProbes.minute });
  return stored.length > 0;
}

export type ComponentState = "ok" | "degraded" | "down";

/** Since when each component has been in its present state without a break, as far as the probes reach back. */
export async function listComponentSince(
  handle: Handle,
  present: Record<string, ComponentState>,
): Promise<Map<string, Date>> {
  const rows = await handle.execute<{ name: string; since_ms: string | null }>(sql`
    select c.key as name,
           (select extract(epoch from min(p.minute)) * 1000 from health_probes p
             where p.components ->> c.key = c.value
               and p.minute > coalesce((select max(o.minute) from health_probes o
                                         where o.components ->> c.key <> c.value), '-infinity')) as since_ms
      from jsonb_each_text(${JSON.stringify(present)}::jsonb) c`);
  return new Map(
    rows.flatMap((row) =>
      row.since_ms === null ? [] : [[row.name, new Date(Number(row.since_ms))] as const],
    ),
  );
}
