import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Checkbox } from "@/app/_components/form/checkbox";
import { TextArea } from "@/app/_components/form/text-area";
import { TextInput } from "@/app/_components/form/text-input";
import { Notice } from "@/app/_components/notice";
import { ActionForm } from "@/app/admin/_components/action-controls";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { db } from "@/db/client";
import { findSubscriberByAddress } from "@/lib/admin/form-checks";
import { adminPaths } from "@/lib/paths";

/** Name, address and notes. A new address that another subscriber has is stored only after a question. */
export async function ContactCard({
  subscription,
  form,
}: {
  subscription: { id: number; userName: string; email: string | null; notes: string | null };
  form: FormState;
}) {
  const { email } = form.values;
  const found = form.errors.email && email ? await findSubscriberByAddress(db(), email) : null;
  const namesake = found?.subscriptionId === subscription.id ? null : found;
  return (
    <Card title="Contact and notes">
      <ActionForm
        needs="subscriber.contact"
        action={adminPaths.subscriberForm(subscription.id, "contact")}
        className="space-y-4"
      >
        {namesake && (
          <Notice
            tone="warn"
            title="Another subscriber has this address"
            actions={
              <>
                <LinkButton href={adminPaths.subscriber(namesake.subscriptionId)} size="small">
                  Open <bdi>{namesake.userName}</bdi>
                </LinkButton>
                <Checkbox name="same_address" value="true" label="Use it for both" />
              </>
            }
          >
            If this is one person who paid with another address, extend the access of the subscriber whose key
            is in use, and revoke the other key. Two subscribers with one address share their sign-in by mail,
            and a refund ends the access of both.
          </Notice>
        )}
        <TextInput
          label="Name"
          name="user_name"
          required
          maxLength={120}
          defaultValue={form.values.user_name ?? subscription.userName}
          error={form.errors.user_name}
        />
        <TextInput
          label="E-mail"
          name="email"
          inputMode="email"
          autoCapitalize="none"
          defaultValue={form.values.email ?? subscription.email ?? ""}
          error={form.errors.email}
          hint="The subscriber signs in with it, mails go to it and payments are matched by it. Both addresses get a mail about a change."
        />
        <TextArea
          label="Notes"
          name="notes"
          maxLength={2000}
          defaultValue={form.values.notes ?? subscription.notes ?? ""}
          error={form.errors.notes}
        />
        <Button type="submit">Save</Button>
      </ActionForm>
    </Card>
  );
}
