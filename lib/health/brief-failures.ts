import { WHOLE_SERVICE } from "@/db/queries/uptime";
import { DAY_MS } from "@/lib/time";
import type { UptimeDay } from "./uptime";

/** A component's UTC day with degraded or down minutes that no incident explains. */
export interface BriefFailure {
  name: string;
  date: Date;
  downMinutes: number;
  degradedMinutes: number;
}

/**
 * Days with failed minutes on which the component had no incident, newest first. The whole service opens no incident
 * while one of a component explains its state, so an incident of any component explains its day. An incident opens only
 * after two consecutive failed probes, so a single bad minute colours its day without a text. On a day with an incident,
 * failed minutes outside of it are not listed.
 */
export function briefFailures(
  components: readonly { component: string; name: string; days: readonly UptimeDay[] }[],
  incidents: readonly { component: string; openedAt: Date; closedAt: Date | null }[],
  now: Date,
): BriefFailure[] {
  return components
    .flatMap(({ component, name, days }) =>
      days
        .filter(({ downMinutes, degradedMinutes }) => downMinutes > 0 || degradedMinutes > 0)
        .filter(
          ({ date }) =>
            !incidents.some(
              (incident) =>
                (component === WHOLE_SERVICE || incident.component === component) &&
                incident.openedAt.getTime() < date.getTime() + DAY_MS &&
                (incident.closedAt ?? now) >= date,
            ),
        )
        .map(({ date, downMinutes, degradedMinutes }) => ({ name, date, downMinutes, degradedMinutes })),
    )
    .sort((a, b) => b.date.getTime() - a.date.getTime());
}
