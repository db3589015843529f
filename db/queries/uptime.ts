import { and, eq, gte, lt, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { healthProbes, probeDays } from "@/db/schema";
import { columns, timestampOrNull } from "./columns";

/** Health probes of one UTC day and component: `rows` counts all, `down` and `degraded` those in these states. */
export interface ProbeDay {
  date: Date;
  component: string;
  rows: number;
  down: number;
  degraded: number;
  /** Minute of the component's first probe that day. */
  firstAt: Date;
}

/** The component name under which probes of the whole service are counted. */
export const WHOLE_SERVICE = "service";

/** Result of the health probe of one minute. */
export type MinuteProbe = Pick<typeof healthProbes.$inferSelect, "status" | "components">;

/** The health probe of a minute; null: none was stored. */
export async function findProbe(handle: DatabaseHandle, minute: Date): Promise<MinuteProbe | null> {
  const [row] = await handle
    .select({ status: healthProbes.status, components: healthProbes.components })
    .from(healthProbes)
    .where(eq(healthProbes.minute, minute));
  return row ?? null;
}

const FIRST = columns({ minute: timestampOrNull("min(minute)") });

/** The minute of the oldest stored health probe; null: none. */
export async function findFirstProbeMinute(handle: DatabaseHandle): Promise<Date | null> {
  return (await FIRST.one(handle, sql`select ${FIRST.list} from health_probes`)).minute;
}

/**
 * Number of health probes by UTC day and component, including the whole service, from `since` (inclusive) to `until`
 * (exclusive); both are starts of a day.
 */
export async function listProbeDays(handle: DatabaseHandle, since: Date, until: Date): Promise<ProbeDay[]> {
  const rows = await handle
    .select()
    .from(probeDays)
    .where(and(gte(probeDays.day, utcDate(since)), lt(probeDays.day, utcDate(until))));
  return rows.map((row) => ({
    date: new Date(`${row.day}T00:00:00Z`),
    component: row.component,
    rows: row.nProbes,
    down: row.nDown,
    degraded: row.nDegraded,
    firstAt: row.firstAt,
  }));
}

const utcDate = (at: Date): string => at.toISOString().slice(0, 10);
