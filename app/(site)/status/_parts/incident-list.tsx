import { IncidentUpdates } from "@/app/_components/incident-updates";
import { StatusPill } from "@/app/_components/status-pill";
import { formatSpan } from "@/app/_components/times";
import { Timestamp } from "@/app/_components/timestamp";
import { reasonSentence } from "@/lib/health/health-reason";
import type { Incident } from "@/lib/health/read-status-page";
import { MINUTE_MS } from "@/lib/time";

/** Incidents, newest first, with their duration and updates. */
export function IncidentList({
  incidents,
  now,
  nameOf,
}: {
  incidents: readonly Incident[];
  now: Date;
  nameOf: (component: string) => string;
}) {
  return (
    <ul className="divide-y">
      {incidents.map((incident) => {
        const minutes = ((incident.closedAt ?? now).getTime() - incident.openedAt.getTime()) / MINUTE_MS;
        return (
          <li key={incident.id} className="px-4 py-4 sm:px-6">
            <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
              <h3 className="text-sm">{nameOf(incident.component)}</h3>
              <StatusPill state={incident.severity} />
            </div>
            <p className="mt-1 text-sm text-muted">
              <Timestamp at={incident.openedAt} />
              {incident.closedAt ? `, ${formatSpan(minutes)}` : `, for ${formatSpan(minutes)} so far`}
            </p>
            {incident.reasons.length > 0 && (
              <p className="mt-1.5 text-sm">{incident.reasons.map(reasonSentence).join(" ")}</p>
            )}
            <IncidentUpdates updates={incident.updates} />
          </li>
        );
      })}
    </ul>
  );
}
