import { IncidentUpdates } from "@/app/_components/incident-updates";
import { StatusPill } from "@/app/_components/status-pill";
import { formatSpan } from "@/app/_components/times";
import { Timestamp } from "@/app/_components/timestamp";
import type { PostedIncident } from "@/lib/health/read-status-page";
import { MINUTE_MS } from "@/lib/time";

/** Incidents that the operator wrote, newest first, with their updates. */
export function PostedIncidentList({ incidents, now }: { incidents: readonly PostedIncident[]; now: Date }) {
  return (
    <ul className="divide-y">
      {incidents.map((incident) => {
        const minutes = ((incident.resolvedAt ?? now).getTime() - incident.openedAt.getTime()) / MINUTE_MS;
        return (
          <li key={incident.id} className="px-4 py-4 sm:px-6">
            <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
              <h3 className="min-w-0 text-sm break-words">{incident.title}</h3>
              <StatusPill state={incident.severity} />
            </div>
            <p className="mt-1 text-sm text-muted">
              <Timestamp at={incident.openedAt} />
              {incident.resolvedAt ? `, ${formatSpan(minutes)}` : `, for ${formatSpan(minutes)} so far`},
              reported by the operator
            </p>
            <IncidentUpdates updates={incident.updates} />
          </li>
        );
      })}
    </ul>
  );
}
