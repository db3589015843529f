import { Button } from "@/app/_components/button";
import { Select } from "@/app/_components/form/select";
import { TextArea } from "@/app/_components/form/text-area";
import { IncidentUpdates, STAGE_LABELS } from "@/app/_components/incident-updates";
import { StatusPill } from "@/app/_components/status-pill";
import { Timestamp } from "@/app/_components/timestamp";
import { ActionForm } from "@/app/admin/_components/action-controls";
import type { FormState } from "@/app/admin/_components/flash-notice";
import type { IncidentUpdateRow } from "@/db/queries/incidents";
import { reasonSentence } from "@/lib/health/health-reason";
import type { ServiceHealthReason } from "@/lib/market/assess-slots";
import { adminPaths } from "@/lib/paths";
import { INCIDENT_STAGES, type IncidentSeverity } from "@/lib/vocabulary";

/** An open incident, with the form for its next update. */
export function OpenIncident({
  incident: { ref, title, severity, openedAt, updates, isAutomatic, reasons },
  form,
}: {
  incident: {
    /** The incident's id in the form. */
    ref: string;
    title: string;
    severity: IncidentSeverity;
    openedAt: Date;
    updates: readonly IncidentUpdateRow[];
    isAutomatic: boolean;
    reasons: readonly ServiceHealthReason[];
  };
  form: FormState;
}) {
  // Automatic incidents are resolved only by the service's checks.
  const stages = INCIDENT_STAGES.filter((stage) => !isAutomatic || stage !== "resolved");
  return (
    <li className="px-4 py-5 sm:px-6">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h3 className="min-w-0 text-sm break-words">{title}</h3>
        <StatusPill state={severity} />
      </div>
      <p className="mt-1 text-sm text-muted">
        Since <Timestamp at={openedAt} />
        {isAutomatic
          ? ", opened automatically; it closes when the checks pass"
          : ", written by an administrator"}
      </p>
      {reasons.length > 0 && <p className="mt-1.5 text-sm">{reasons.map(reasonSentence).join(" ")}</p>}
      <IncidentUpdates updates={updates} />
      <ActionForm
        needs="incident.update"
        action={adminPaths.statusPageForm("update")}
        className="mt-4 max-w-2xl space-y-4"
      >
        <input type="hidden" name="incident" value={ref} />
        <Select
          label={`Stage of “${title}”`}
          name="stage"
          defaultValue={form.values.stage ?? "update"}
          error={form.errors.stage}
          options={stages.map((stage) => ({ value: stage, label: STAGE_LABELS[stage] }))}
        />
        <TextArea
          label="Update"
          name="message"
          required
          maxLength={2_000}
          rows={3}
          defaultValue={form.values.message}
          error={form.errors.message}
        />
        <Button type="submit">Publish update</Button>
      </ActionForm>
    </li>
  );
}
