import { Card } from "@/app/_components/card";
import { IncidentUpdates } from "@/app/_components/incident-updates";
import { formatInstant } from "@/app/_components/times";
import type { IncidentUpdateRow } from "@/db/queries/incidents";
import { adminPaths } from "@/lib/paths";

interface PastIncident {
  key: string;
  title: string;
  openedAt: Date;
  endedAt: Date;
  updates: readonly IncidentUpdateRow[];
}

/** Resolved incidents, newest first. */
export function PastIncidents({ days, incidents }: { days: number; incidents: readonly PastIncident[] }) {
  return (
    <Card
      title={`Past incidents, ${days} days`}
      lead={
        <>
          To give days back for one incident, use{" "}
          <a href={adminPaths.extendMany()} className="link">
            Extend list
          </a>
          , or Extend access on the page of a subscriber.{" "}
          <a href={adminPaths.credits()} className="link">
            Downtime credits
          </a>{" "}
          are for a whole month.
        </>
      }
      flush
    >
      {incidents.length === 0 ? (
        <p className="px-4 py-6 text-sm text-muted sm:px-6">None.</p>
      ) : (
        <ul className="divide-y text-sm">
          {incidents.map(({ key, title, openedAt, endedAt, updates }) => (
            <li key={key} className="px-4 py-3 sm:px-6">
              <p className="font-medium break-words">{title}</p>
              <p className="text-muted">
                {formatInstant(openedAt)} to {formatInstant(endedAt)}
              </p>
              <IncidentUpdates updates={updates} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
