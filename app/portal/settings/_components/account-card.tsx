import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { DeleteAccountDialog } from "@/app/_components/delete-account-dialog";
import { TextInput } from "@/app/_components/form/text-input";
import { Notice } from "@/app/_components/notice";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { PortalTime } from "@/app/portal/_components/portal-time";
import { ShownSubscriptionField } from "@/app/portal/_components/shown-subscription-field";
import type { findOpenAddressChange } from "@/db/queries/accounts";
import { clockOffsetLabel, type WallClock } from "@/lib/market/clock";
import { paths } from "@/lib/paths";

type OpenAddressChange = NonNullable<Awaited<ReturnType<typeof findOpenAddressChange>>>;

/** The forms that change the account's e-mail address and delete the account. Both changes are confirmed by mail. */
export function AccountCard({
  email,
  change,
  form,
  clock,
  now,
}: {
  email: string | null;
  change: OpenAddressChange | null;
  form: FormState;
  clock: WallClock;
  now: Date;
}) {
  return (
    <Card
      title="Account"
      lead={
        email === null
          ? "There is no address with this subscription: ask us to add one."
          : "You sign in with this address, and every mail goes to it. All its subscriptions are one account."
      }
    >
      {email !== null && change && (
        <div className="mb-6">
          <Notice
            title={`Your address is about to change to ${change.newEmail}`}
            actions={
              <form method="post" action={paths.portalSettingsForm("cancel-address")}>
                <ShownSubscriptionField />
                <Button type="submit" size="small">
                  Cancel the change
                </Button>
              </form>
            }
          >
            {waitingFor(email, change)}, valid until{" "}
            <PortalTime at={change.expiresAt} clock={clock} now={now} /> ({clockOffsetLabel(clock, now)}). The
            change signs out every browser that signed in by mail.
          </Notice>
        </div>
      )}
      {email !== null && (
        <form
          method="post"
          action={paths.portalSettingsForm("address")}
          className="mb-8 flex flex-wrap items-end gap-4 border-b pb-6"
        >
          <ShownSubscriptionField />
          <TextInput
            className="min-w-0 flex-1 basis-72"
            label="New address"
            name="new_email"
            inputMode="email"
            autoCapitalize="none"
            required
            maxLength={254}
            autoComplete="email"
            defaultValue={form.values.new_email ?? ""}
            hint={`Now ${email}. You confirm from both mailboxes. Payments from either address count.`}
            error={form.errors.new_email}
          />
          <Button type="submit">Change the address</Button>
        </form>
      )}
      <DeleteAccountDialog byMail={email !== null} action={paths.portalSettingsForm("delete-account")}>
        <ShownSubscriptionField />
      </DeleteAccountDialog>
    </Card>
  );
}

/** Which of the two mailed links were used, and which are missing. */
function waitingFor(email: string, { newEmail, confirmedAt, newConfirmedAt }: OpenAddressChange): string {
  if (confirmedAt) return `${email} has confirmed. Waiting for the link mailed to ${newEmail}`;
  if (newConfirmedAt) return `${newEmail} has confirmed. Waiting for the link mailed to ${email}`;
  return `Waiting for the links mailed to ${email} and ${newEmail}`;
}
