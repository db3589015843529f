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

/** Probes since `since` by UTC day and component, the whole service among them. */
export async function listProbeDays(handle: Handle, since: Date): Promise<ProbeDay[]> {
  const rows = await handle.execute<{
    day: string;
    component: string;
    rows: number;
    down: number;
    degraded: number;
    first_ms: string;
  }>(sql`
    select to_char(p.minute at time zone 'UTC', 'YYYY-MM-DD') as day, c.component, count(*)::int as rows,
           (count(*) filter (where c.state = 'down'))::int as down,
           (count(*) filter (where c.state = 'degraded'))::int as degraded,
           extract(epoch from min(p.minute)) * 1000 as first_ms
      from health_probes p
     cross join lateral (
       select ${WHOLE_SERVICE} as component, p.status as state
       union all
       select key, value from jsonb_each_text(p.components)
     ) c
     where p.minute >= ${since.toISOString()}::timestamptz
     group by 1, 2`);
  return rows.map(({ day, first_ms, ...counts }) => ({
    ...counts,
    date: new Date(`${day}T00:00:00Z`),
    firstAt: new Date(Number(first_ms)),
  }));
}
