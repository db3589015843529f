import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Select } from "@/app/_components/form/select";
import { TextArea } from "@/app/_components/form/text-area";
import { TextInput } from "@/app/_components/form/text-input";
import { ActionForm } from "@/app/admin/_components/action-controls";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { adminPaths } from "@/lib/paths";

/** The form for an incident on the status page. */
export function WriteIncidentCard({ form, newestShown }: { form: FormState; newestShown: number }) {
  return (
    <Card
      title="Write an incident"
      lead="It is public at once. An incident stays on the page after it is resolved."
    >
      <ActionForm needs="incident.post" action={adminPaths.statusPageForm("post")} className="space-y-4">
        <input type="hidden" name="newest_shown" value={newestShown} />
        <TextInput
          label="Title"
          name="title"
          required
          maxLength={120}
          defaultValue={form.values.title}
          error={form.errors.title}
        />
        <Select
          label="Severity"
          name="severity"
          required
          defaultValue={form.values.severity ?? "degraded"}
          error={form.errors.severity}
          options={[
            { value: "degraded", label: "Degraded: signals arrive, something else does not work" },
            { value: "down", label: "Down: do not rely on signals" },
          ]}
        />
        <TextArea
          label="First update"
          name="message"
          required
          maxLength={2_000}
          rows={4}
          defaultValue={form.values.message}
          error={form.errors.message}
          hint="What is happening, who is affected, and what to do meanwhile."
        />
        <Button type="submit" variant="primary">
          Publish incident
        </Button>
      </ActionForm>
    </Card>
  );
}
