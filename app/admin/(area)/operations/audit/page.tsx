import { Download } from "lucide-react";
import type { Metadata } from "next";
import { z } from "zod";
import { Card } from "@/app/_components/card";
import { FilterBar } from "@/app/_components/form/filter-bar";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";
import { PageHeader } from "@/app/_components/page-header";
import { ActionLink } from "@/app/admin/_components/action-controls";
import { newestOlderLinks } from "@/app/admin/_components/list/newest-older";
import { AuditTable } from "@/app/admin/(area)/operations/_components/audit-table";
import { db } from "@/db/client";
import { listAllAdministrators, listAudit, listAuditActions } from "@/db/queries/audit";
import { actionLabel } from "@/lib/admin/audit-text";
import { DayField } from "@/lib/admin/form-fields";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { optionalFilter, type SearchParams, textFilter, wholeNumberFilter } from "@/lib/wire/query-filter";

export const metadata: Metadata = { title: "Audit log" };

const PAGE_SIZE = 50;

const Filter = z.object({
  action: textFilter(100),
  who: textFilter(60),
  day: optionalFilter(DayField),
  subscriber: wholeNumberFilter(999_999_999),
  before: wholeNumberFilter(999_999_999),
});

/** Actors that are not administrators with a name. */
const OTHER_ACTORS = [
  { value: "admin-session", label: "Signed in with the secret" },
  { value: "admin-secret", label: "API with the secret" },
  { value: "subscriber", label: "Subscribers" },
  { value: "webhook", label: "Payment platforms" },
  { value: "worker", label: "The service itself" },
  { value: "command", label: "Command line" },
] as const;

/** Every action with its actor, time and network address. */
export default async function Audit({ searchParams }: { searchParams: SearchParams }) {
  await requireAdminSession(adminPaths.audit());
  const { before: beforeId, ...shown } = Filter.parse(await searchParams);
  const { action, who: actor, day, subscriber: subscriptionId } = shown;
  const [rows, actions, people] = await Promise.all([
    listAudit(db(), { action, actor, day, subscriptionId, beforeId }, PAGE_SIZE),
    listAuditActions(db()),
    listAllAdministrators(db()),
  ]);
  const oldest = rows.at(-1);
  return (
    <>
      <PageHeader
        parent={{ href: adminPaths.operations(), label: "Operations" }}
        title="Audit log"
        lead="Each row is stored in the same transaction as the change it describes, and is never changed."
        actions={
          <ActionLink needs="export" href={adminPaths.export("audit")} download>
            <Download aria-hidden="true" />
            CSV
          </ActionLink>
        }
      />
      <div className="mb-6">
        <FilterBar
          action={adminPaths.audit()}
          resetHref={
            Object.values(shown).some((value) => value !== undefined) ? adminPaths.audit() : undefined
          }
          label="Filter the audit log"
        >
          {subscriptionId !== undefined && <input type="hidden" name="subscriber" value={subscriptionId} />}
          <Select
            label="Person"
            name="who"
            defaultValue={actor ?? ""}
            options={[
              { value: "", label: "Any" },
              ...people.map(({ id, name }) => ({ value: `administrator/${id}`, label: name })),
              ...OTHER_ACTORS,
            ]}
          />
          <TextInput label="Day, UTC" name="day" type="date" defaultValue={day ?? ""} />
          <Select
            label="Action"
            name="action"
            defaultValue={action ?? ""}
            options={[
              { value: "", label: "Any" },
              ...actions.map((value) => ({ value, label: actionLabel(value) })),
            ]}
          />
        </FilterBar>
      </div>
      <Card flush>
        <AuditTable
          rows={rows}
          footer={newestOlderLinks({
            newest: beforeId === undefined ? null : adminPaths.audit(shown),
            older:
              rows.length === PAGE_SIZE && oldest ? adminPaths.audit({ ...shown, before: oldest.id }) : null,
          })}
        />
      </Card>
    </>
  );
}
