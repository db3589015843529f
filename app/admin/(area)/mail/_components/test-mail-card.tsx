import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { TextInput } from "@/app/_components/form/text-input";
import { ActionForm } from "@/app/admin/_components/action-controls";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { adminPaths } from "@/lib/paths";

/** The form that sends a test mail. */
export function TestMailCard({ form }: { form: FormState }) {
  return (
    <Card
      title="Send a test mail"
      lead="It takes the same path as every mail: the queue, then the transport."
    >
      <ActionForm
        needs="mail.test"
        action={adminPaths.mailForm("test")}
        className="flex flex-wrap items-end gap-3"
      >
        <TextInput
          label="To"
          name="recipient"
          inputMode="email"
          autoCapitalize="none"
          required
          defaultValue={form.values.recipient}
          error={form.errors.recipient}
          className="max-w-md grow"
        />
        <Button type="submit">Send</Button>
      </ActionForm>
    </Card>
  );
}
