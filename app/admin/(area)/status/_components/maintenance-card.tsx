import { Card } from "@/app/_components/card";
import { formatInstant } from "@/app/_components/times";
import type { FormState } from "@/app/admin/_components/flash-notice";
import type { MaintenanceRow } from "@/db/queries/incidents";
import { AnnounceMaintenanceForm } from "./announce-maintenance-form";
import { WithdrawMaintenanceButton } from "./withdraw-maintenance-button";

/** Announced maintenance, and the form for more. */
export function MaintenanceCard({
  maintenances,
  form,
}: {
  maintenances: readonly MaintenanceRow[];
  form: FormState;
}) {
  return (
    <Card title="Maintenance" lead="Announced on the status page until it is over.">
      {maintenances.length > 0 && (
        <ul className="mb-6 divide-y border-y text-sm">
          {maintenances.map((maintenance) => (
            <li key={maintenance.id} className="flex flex-wrap items-center justify-between gap-3 py-3">
              <div className="min-w-0">
                <p className="font-medium">{maintenance.message}</p>
                <p className="text-muted">
                  {formatInstant(maintenance.startsAt)} to {formatInstant(maintenance.endsAt)}
                </p>
              </div>
              <WithdrawMaintenanceButton maintenance={maintenance} />
            </li>
          ))}
        </ul>
      )}
      <AnnounceMaintenanceForm form={form} />
    </Card>
  );
}
