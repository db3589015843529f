import { sql } from "drizzle-orm";
import type { Handle } from "../client";

/** Probes of one UTC day that found a component in trouble. `rows` counts every probe of the day. */
export interface ProbeDay {
  date: Date;
  component: string;
  rows: number;
  down: number;
  degraded: number;
  /** Minute of its first probe that day. */
  firstAt: Date;
}

/** The whole service, beside its components. */
export const WHOLE_SERVICE = "service";

/** The minute of the first probe ever, or null before any. */
export async function findFirstProbe(handle: Handle): Promise<Date | null> {
  const [row] = await handle.execute<{ ms: string | null }>(
    sql`select extract(epoch from min(minute)) * 1000 as ms from health_probes`,
  );
  return row?.ms == null ? null : new Date(Number(row.ms));
}

/**
 * Probes from `since` up to `until` by UTC day and component, the whole service among them. Equal probes of a day are
 * counted before their components are taken apart: few kinds of probes stand for a thousand rows.
 */
export async function listProbeDays(handle: Handle, since: Date, until: Date): Promise<ProbeDay[]> {
  const rows = await handle.execute<{
    day: string;
    component: string;
    rows: number;
    down: number;
    degraded: number;
    first_ms: string;
  }>(sql`
    with kinds as (
      select date_trunc('day', minute, 'UTC') as day, status, components, count(*) as n, min(minute) as first_at
        from health_probes
       where minute >= ${since.toISOString()}::timestamptz and minute < ${until.toISOString()}::timestamptz
       group by 1, 2, 3
    )
    select to_char(k.day at time zone 'UTC', 'YYYY-MM-DD') as day, c.component, sum(k.n)::int as rows,
           coalesce(sum(k.n) filter (where c.state = 'down'), 0)::int as down,
           coalesce(sum(k.n) filter (where c.state = 'degraded'), 0)::int as degraded,
           extract(epoch from min(k.first_at)) * 1000 as first_ms
      from kinds k
     cross join lateral (
       select ${WHOLE_SERVICE} as component, k.status as state
       union all
       select key, value from jsonb_each_text(k.components)
     ) c
     group by 1, 2`);
  return rows.map(({ day, first_ms, ...counts }) => ({
    ...counts,
    date: new Date(`${day}T00:00:00Z`),
    firstAt: new Date(Number(first_ms)),
  }));
}
