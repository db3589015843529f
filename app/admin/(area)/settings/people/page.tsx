import type { Metadata } from "next";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";
import { Day } from "@/app/_components/timestamp";
import { ActionDialog, ActionForm } from "@/app/admin/_components/allowed";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import { listAdministrators } from "@/db/queries/administrators";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { ADMIN_ROLES, type AdminRole } from "@/lib/vocabulary";

export const metadata: Metadata = { title: "People" };

const ROLE_WORDS: Record<AdminRole, string> = {
  owner: "Owner: everything, settings and people too",
  support: "Support: subscribers, payments, mail and maintenance",
  reader: "Reader: looks and changes nothing",
};
const ROLE_OPTIONS = ADMIN_ROLES.map((role) => ({ value: role, label: ROLE_WORDS[role] }));

type Person = Awaited<ReturnType<typeof listAdministrators>>[number];

/** Who administers the service. */
export default async function People() {
  const session = await requireAdminSession(adminPaths.people());
  const [flash, people] = await Promise.all([
    consumeFlash(db(), session.sessionId),
    listAdministrators(db()),
  ]);
  const { values, errors } = formState(flash, "people.invite");
  return (
    <>
      <SettingsHeader
        title="People"
        lead="Who administers the service. Each signs in by a mailed link and a code, and the audit names them."
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        <Card title="Administrators" flush>
          <DataTable
            caption="Administrators"
            rows={people}
            rowKey={({ id }) => id}
            columns={COLUMNS}
            empty={
              <EmptyState title="No one is invited yet">
                Until then everyone signs in with the secret of the installation, and the audit cannot tell
                them apart.
              </EmptyState>
            }
          />
        </Card>
        <Card title="Invite somebody" className="max-w-3xl">
          <ActionForm needs="people.invite" action={adminPaths.invitePerson()} className="space-y-5">
            <div className="grid gap-5 sm:grid-cols-2">
              <TextInput
                label="Name"
                name="name"
                required
                maxLength={60}
                defaultValue={values.name}
                error={errors.name}
              />
              <TextInput
                label="E-mail"
                name="email"
                inputMode="email"
                autoCapitalize="none"
                required
                maxLength={254}
                defaultValue={values.email}
                error={errors.email}
              />
              <Select
                label="Role"
                name="role"
                options={ROLE_OPTIONS}
                defaultValue={values.role ?? "reader"}
                error={errors.role}
                className="sm:col-span-2"
              />
            </div>
            <Button type="submit" variant="primary">
              Send the invitation
            </Button>
          </ActionForm>
        </Card>
      </div>
    </>
  );
}

const COLUMNS: Column<Person>[] = [
  { key: "name", header: "Name", primary: true, cell: (person) => person.name },
  { key: "email", header: "E-mail", cell: (person) => <span className="break-all">{person.email}</span> },
  {
    key: "state",
    header: "Since",
    cell: ({ acceptedAt }) => (acceptedAt ? <Day at={acceptedAt} /> : "invited"),
  },
  {
    key: "codes",
    header: "Recovery codes",
    unit: "left",
    align: "right",
    cell: ({ acceptedAt, nRecoveryCodes }) => (acceptedAt ? nRecoveryCodes : "–"),
  },
  {
    key: "role",
    header: "Role",
    cell: (person) => (
      <ActionForm
        needs="people.change_role"
        action={adminPaths.personForm(person.id, "role")}
        className="flex items-center gap-2"
      >
        <Select
          hideLabel
          label={`Role of ${person.name}`}
          name="role"
          options={ADMIN_ROLES.map((role) => ({ value: role, label: role }))}
          defaultValue={person.role}
        />
        <Button type="submit" size="small">
          Change
        </Button>
      </ActionForm>
    ),
  },
  {
    key: "remove",
    header: "Access",
    cell: (person) => (
      <ActionDialog
        needs="people.remove"
        trigger="Remove"
        triggerSize="small"
        title={`Remove ${person.name}?`}
        consequence="Their sessions end at once and their links stop working. What they did stays in the audit under their name."
        confirmLabel="Remove"
        action={adminPaths.personForm(person.id, "remove")}
      />
    ),
  },
];
