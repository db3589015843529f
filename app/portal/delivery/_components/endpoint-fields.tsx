import { Checkbox } from "@/app/_components/form/checkbox";
import { TextInput } from "@/app/_components/form/text-input";
import type { FormState } from "@/app/admin/_components/flash-notice";
import { env } from "@/lib/runtime/env";
import { WEBHOOK_EVENTS } from "@/lib/vocabulary";
import { EVENT_LABELS } from "./event-labels";

/** Address and events of an endpoint, as stored or as typed before an error. */
export function EndpointFields({
  form,
  stored,
}: {
  form: FormState;
  stored: { url: string; events: readonly string[] };
}) {
  const isChosen = (event: string) =>
    form.returned ? form.values[event] === "true" : stored.events.includes(event);
  return (
    <div className="space-y-5">
      <TextInput
        label="Address"
        name="url"
        type="url"
        required
        maxLength={2_000}
        autoComplete="off"
        spellCheck={false}
        placeholder="https://example.com/hooks"
        defaultValue={form.values.url ?? stored.url}
        error={form.errors.url}
        hint={
          env().marketFeed === "demo"
            ? "A public https:// address. In the simulated market also http://localhost or http://127.0.0.1."
            : "A public https:// address."
        }
      />
      <fieldset>
        <legend className="mb-3 text-sm font-medium">Events</legend>
        <div className="grid gap-3 sm:grid-cols-2">
          {WEBHOOK_EVENTS.map((event) => (
            <Checkbox
              key={event}
              label={<code className="font-mono">{event}</code>}
              name={event}
              value="true"
              defaultChecked={isChosen(event)}
              hint={EVENT_LABELS[event]}
            />
          ))}
        </div>
        {form.errors.events && <p className="mt-2 text-sm text-danger">Choose at least one event.</p>}
      </fieldset>
    </div>
  );
}
