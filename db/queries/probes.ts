import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { healthProbes } from "@/db/schema";
import type { HealthState } from "@/lib/vocabulary";
import { columns, text, timestampOrNull } from "./columns";

/** Stores the health probe of a minute. Returns false, and changes nothing, if the minute has a probe already. */
export async function insertProbe(
  handle: DatabaseHandle,
  probe: typeof healthProbes.$inferInsert,
): Promise<boolean> {
  const stored = await handle
    .insert(healthProbes)
    .values(probe)
    .onConflictDoNothing()
    .returning({ minute: healthProbes.minute });
  return stored.length > 0;
}

export type ComponentState = HealthState;

const SINCE = columns({
  name: text("c.key"),
  since: timestampOrNull(`(select min(p.minute) from health_probes p
    where p.components ->> c.key = c.value and p.minute >= coalesce(other.minute, days.first_at))`),
});

/**
 * For each component, the minute since which every probe has found the state that `present` names, as far as stored
 * probes reach back. The daily totals show the last day with another state, so only that day's probes are searched for
 * one.
 */
export async function listComponentStateStarts(
  handle: DatabaseHandle,
  present: Record<string, ComponentState>,
): Promise<Map<string, Date>> {
  const rows = await SINCE.all(
    handle,
    sql`
    select ${SINCE.list}
      from jsonb_each_text(${JSON.stringify(present)}::jsonb) c
      cross join lateral (
        select min(d.first_at) as first_at,
               max(d.day) filter (where d.n_probes > case c.value when 'down' then d.n_down when 'degraded' then d.n_degraded
                                                       else d.n_probes - d.n_down - d.n_degraded end) as mixed
          from probe_days d where d.component = c.key) days
      cross join lateral (
        select max(o.minute) as minute from health_probes o
         where o.minute >= days.mixed::timestamp at time zone 'UTC'
           and o.minute < (days.mixed + 1)::timestamp at time zone 'UTC' and o.components ->> c.key <> c.value) other`,
  );
  return new Map(rows.flatMap(({ name, since }) => (since === null ? [] : [[name, since] as const])));
}
