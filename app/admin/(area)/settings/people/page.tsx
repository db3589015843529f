import type { Metadata } from "next";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";
import { Notice } from "@/app/_components/notice";
import { UtcDay } from "@/app/_components/timestamp";
import { ActionDialog, ActionForm } from "@/app/admin/_components/action-controls";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import { listAdministrators } from "@/db/queries/administrators";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { canMailReachPeople } from "@/lib/outbound/mail/can-mail-reach-people";
import { adminPaths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { ADMIN_ROLES, type AdminRole } from "@/lib/vocabulary";

export const metadata: Metadata = { title: "People" };

const ROLE_LABELS: Record<AdminRole, string> = {
  owner: "Owner: everything, including settings and people",
  support: "Support: subscribers, payments, mail, pauses and the status page",
  reader: "Reader: sees all pages but People and Alerts, changes nothing",
};
const ROLE_OPTIONS = ADMIN_ROLES.map((role) => ({ value: role, label: ROLE_LABELS[role] }));

type Person = Awaited<ReturnType<typeof listAdministrators>>[number];

export default async function People() {
  const session = await requireAdminSession(adminPaths.people());
  const [flash, people] = await Promise.all([
    consumeFlash(db(), session.sessionId),
    listAdministrators(db()),
  ]);
  const { values, errors } = formState(flash, "people.invite");
  const invited = people.filter(({ acceptedAt }) => acceptedAt === null);
  return (
    <>
      <SettingsHeader
        title="People"
        lead={`Administrators of the service. Each signs in with a mailed link${env().oidc ? " or by the identity provider" : ""} and a code, and the audit log names them.`}
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        {!canMailReachPeople() && (
          <Notice tone="warn" title="Mail is not being sent">
            Invitations and sign-in links are mails.{" "}
            <a className="link" href={adminPaths.mail()}>
              Set a mail transport
            </a>{" "}
            before you invite anyone.
          </Notice>
        )}
        <Card
          title="Administrators"
          lead="If a person loses their phone, New authenticator mails them a link to set up another one. A recovery code signs them in once without it. Only another owner can change your role or remove you."
          flush
        >
          <DataTable
            caption="Administrators"
            rows={people}
            rowKey={({ id }) => id}
            columns={columnsFor(session.person?.id ?? null)}
            empty={
              <EmptyState title="No administrators yet">
                Everyone signs in with the installation's secret, and the audit log cannot tell them apart.
                Invite yourself first, as an owner.
              </EmptyState>
            }
          />
        </Card>
        {invited.length > 0 && (
          <Card
            title="Open invitations"
            lead="A new invitation replaces the former link. Correct the address if the mail did not arrive."
            className="max-w-3xl"
          >
            <ul className="space-y-5">
              {invited.map((person) => (
                <li key={person.id}>
                  <ActionForm
                    needs="people.invite_again"
                    action={adminPaths.personForm(person.id, "invite-again")}
                    className="flex flex-wrap items-end gap-3"
                  >
                    <div className="min-w-0 flex-1 basis-64">
                      <TextInput
                        label={`E-mail of ${person.name}`}
                        name="email"
                        inputMode="email"
                        autoCapitalize="none"
                        required
                        maxLength={254}
                        defaultValue={person.email}
                        type="email"
                      />
                    </div>
                    <Button type="submit">Send new invitation</Button>
                  </ActionForm>
                </li>
              ))}
            </ul>
          </Card>
        )}
        <Card title="Invite a person" className="max-w-3xl">
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
                // The first administrator should be an owner, to replace the secret of the installation.
                defaultValue={
                  values.role ?? (people.some(({ role }) => role === "owner") ? "reader" : "owner")
                }
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

/**
 * Columns of the list of administrators. In the row of the signed-in person (`ownId`; null for a session by the secret)
 * the controls that would be refused are left out.
 */
const columnsFor = (ownId: number | null): Column<Person>[] => [
  { key: "name", header: "Name", primary: true, cell: (person) => person.name },
  { key: "email", header: "E-mail", cell: (person) => <span className="break-all">{person.email}</span> },
  {
    key: "state",
    header: "Since",
    cell: ({ acceptedAt }) => (acceptedAt ? <UtcDay at={acceptedAt} /> : "invited"),
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
    cell: (person) =>
      person.id === ownId ? (
        `${person.role} (you)`
      ) : (
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
    key: "access",
    header: "Access",
    cell: (person) => (
      <div className="flex flex-wrap gap-2">
        {person.acceptedAt && (
          <ActionDialog
            needs="people.renew_factor"
            trigger="New authenticator"
            triggerSize="small"
            title={`New authenticator for ${person.name}?`}
            consequence={`The former authenticator, recovery codes and sessions end at once. A link for a new authenticator goes to ${person.email}.`}
            confirmLabel="Send the link"
            action={adminPaths.personForm(person.id, "renew-factor")}
          />
        )}
        {person.id === ownId && (
          <ActionDialog
            needs="people.new_codes"
            trigger="New recovery codes"
            triggerVariant="secondary"
            triggerSize="small"
            title="New recovery codes?"
            consequence="Your former recovery codes no longer work. The new ones are shown once, on the next page."
            confirmLabel="Show new codes"
            action={adminPaths.newRecoveryCodes()}
          />
        )}
        {person.id !== ownId && (
          <ActionDialog
            needs="people.remove"
            trigger="Remove"
            triggerSize="small"
            title={`Remove ${person.name}?`}
            consequence="Their sessions end at once and their links stop working. Their actions stay in the audit log under their name."
            confirmLabel="Remove"
            action={adminPaths.personForm(person.id, "remove")}
          />
        )}
      </div>
    ),
  },
];
