import type { IncidentUpdateRow } from "@/db/queries/incidents";
import type { IncidentStage } from "@/lib/vocabulary";
import { Timestamp } from "./timestamp";

/** Labels of the stages of an incident. */
export const STAGE_LABELS: Readonly<Record<IncidentStage, string>> = {
  investigating: "Investigating",
  identified: "Identified",
  monitoring: "Monitoring",
  update: "Update",
  resolved: "Resolved",
};

const SHOWN = 12;

/** Updates of an incident, newest first. A very long list omits the oldest. */
export function IncidentUpdates({ updates }: { updates: readonly IncidentUpdateRow[] }) {
  if (updates.length === 0) return null;
  return (
    <ul className="mt-3 space-y-2 border-l pl-4 text-sm">
      {updates
        .slice(-SHOWN)
        .toReversed()
        .map(({ id, stage, message, at }) => (
          <li key={id}>
            <p className="break-words whitespace-pre-line">
              <span className="font-medium">{STAGE_LABELS[stage]}:</span> {message}
            </p>
            <p className="text-muted">
              <Timestamp at={at} />
            </p>
          </li>
        ))}
    </ul>
  );
}
