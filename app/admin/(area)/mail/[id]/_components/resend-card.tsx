import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { TextInput } from "@/app/_components/form/text-input";
import { Notice } from "@/app/_components/notice";
import { ActionForm } from "@/app/admin/_components/allowed";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { adminPaths } from "@/lib/paths";

/** Sends a mail again, to a corrected address where one is typed; `blocked` says why that cannot be. */
export function ResendCard({
  mail,
  blocked,
  form,
}: {
  mail: { id: number; recipient: string };
  blocked: string | null;
  form: FormState;
}) {
  return (
    <Card title="Send again">
      {blocked ? (
        <Notice>{blocked}</Notice>
      ) : (
        <ActionForm
          needs="mail.resend"
          action={adminPaths.mailMessageForm(mail.id, "resend")}
          className="space-y-4"
        >
          <TextInput
            label="To"
            name="recipient"
            inputMode="email"
            autoCapitalize="none"
            required
            defaultValue={form.values.recipient ?? mail.recipient}
            error={form.errors.recipient}
            hint="Correct the address if it was wrong. The subscriber's own address stays as it is."
          />
          <Button type="submit">Send again</Button>
        </ActionForm>
      )}
    </Card>
  );
}
