import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { ActionForm } from "@/app/admin/_components/action-controls";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { AccessEndFields } from "@/app/admin/(area)/subscribers/_components/access-end-fields";
import { adminPaths } from "@/lib/paths";

/** A new key for a subscriber whose keys have all ended. */
export function IssueKeyCard({ id, form }: { id: number; form: FormState }) {
  return (
    <Card
      title="Issue a new key"
      lead="On the same subscription, so that positions and history continue. It is shown once."
    >
      <ActionForm needs="key.issue" action={adminPaths.subscriberForm(id, "issue")} className="space-y-4">
        <AccessEndFields values={form.values} errors={form.errors} />
        <Button type="submit">Issue a key</Button>
      </ActionForm>
    </Card>
  );
}
