import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { ConfirmDialog } from "@/app/_components/confirm-dialog";
import { TextArea } from "@/app/_components/form/text-area";
import { TextInput } from "@/app/_components/form/text-input";
import { formatInstant } from "@/app/_components/times";
import type { FormState } from "@/app/admin/_parts/flash-notice";
import type { MaintenanceRow } from "@/db/queries/incidents";
import { adminPaths } from "@/lib/paths";

/** What is announced on the status page, and the form for more. */
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
              <ConfirmDialog
                trigger="Withdraw"
                triggerVariant="quiet"
                triggerSize="small"
                title="Withdraw this announcement?"
                consequence={`“${maintenance.message}” leaves the status page at once.`}
                confirmLabel="Withdraw"
                action={adminPaths.withdrawMaintenance(maintenance.id)}
              />
            </li>
          ))}
        </ul>
      )}
      <form method="post" action={adminPaths.announceMaintenance()} className="space-y-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextInput
            label="From, UTC"
            name="starts_at"
            type="datetime-local"
            required
            defaultValue={form.values.starts_at}
            error={form.errors.starts_at}
          />
          <TextInput
            label="To, UTC"
            name="ends_at"
            type="datetime-local"
            required
            defaultValue={form.values.ends_at}
            error={form.errors.ends_at}
          />
        </div>
        <TextArea
          label="What readers are told"
          name="message"
          required
          maxLength={500}
          defaultValue={form.values.message}
          error={form.errors.message}
          hint="What will not work, and what goes on working."
        />
        <Button type="submit">Announce</Button>
      </form>
    </Card>
  );
}
