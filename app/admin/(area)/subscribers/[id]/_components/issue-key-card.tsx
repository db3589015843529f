import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { TextInput } from "@/app/_components/form/text-input";
import { ActionForm } from "@/app/admin/_components/action-controls";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { adminPaths } from "@/lib/paths";

/** A new key for a subscriber whose keys have all ended. */
export function IssueKeyCard({ id, form }: { id: number; form: FormState }) {
  return (
    <Card
      title="Issue a new key"
      lead="On the same subscription, so that positions and history continue. It is shown once."
    >
      <ActionForm needs="key.issue" action={adminPaths.subscriberForm(id, "issue")} className="space-y-4">
        <TextInput
          label="Access until, UTC"
          name="expires_at"
          type="datetime-local"
          defaultValue={form.values.expires_at}
          error={form.errors.expires_at}
          hint="Blank: access does not end."
        />
        <Button type="submit">Issue a key</Button>
      </ActionForm>
    </Card>
  );
}
