import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { DeleteAccountDialog } from "@/app/_components/delete-account-dialog";
import { TextInput } from "@/app/_components/form/text-input";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { ShownSubscriptionField } from "@/app/portal/_components/shown-subscription-field";
import { paths } from "@/lib/paths";

/** The forms that change the account's e-mail address and delete the account. Both changes are confirmed by mail. */
export function AccountCard({ email, form }: { email: string | null; form: FormState }) {
  return (
    <Card
      title="Account"
      lead={
        email === null
          ? "There is no address with this subscription: ask us to add one."
          : "You sign in with this address, and every mail goes to it. All its subscriptions are one account."
      }
    >
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
