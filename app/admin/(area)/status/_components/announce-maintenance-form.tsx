import { Button } from "@/app/_components/button";
import { TextArea } from "@/app/_components/form/text-area";
import { TextInput } from "@/app/_components/form/text-input";
import { ActionForm } from "@/app/admin/_components/action-controls";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { adminPaths } from "@/lib/paths";

/** The form that announces a maintenance: its start, its end, and the message. */
export function AnnounceMaintenanceForm({ form }: { form: FormState }) {
  return (
    <ActionForm
      needs="maintenance.announce"
      action={adminPaths.statusPageForm("announce")}
      className="space-y-4"
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextInput
          label="From, UTC"
          name="starts_at"
          type="datetime-local"
          required
          defaultValue={form.values.starts_at}
          error={form.errors.starts_at}
        />
        <TextInput
          label="To, UTC"
          name="ends_at"
          type="datetime-local"
          required
          defaultValue={form.values.ends_at}
          error={form.errors.ends_at}
        />
      </div>
      <TextArea
        label="Message to visitors"
        name="message"
        required
        maxLength={500}
        defaultValue={form.values.message}
        error={form.errors.message}
        hint="What will stop working, and what will keep working."
      />
      <Button type="submit">Announce</Button>
    </ActionForm>
  );
}
