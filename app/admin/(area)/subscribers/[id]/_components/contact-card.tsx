import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { TextArea } from "@/app/_components/form/text-area";
import { TextInput } from "@/app/_components/form/text-input";
import { ActionForm } from "@/app/admin/_components/allowed";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { adminPaths } from "@/lib/paths";

/** Name, address and notes. */
export function ContactCard({
  subscription,
  form,
}: {
  subscription: { id: number; userName: string; email: string | null; notes: string | null };
  form: FormState;
}) {
  return (
    <Card title="Contact and notes">
      <ActionForm
        needs="subscriber.contact"
        action={adminPaths.subscriberForm(subscription.id, "contact")}
        className="space-y-4"
      >
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
