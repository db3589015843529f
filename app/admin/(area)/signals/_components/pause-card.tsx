import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { countWithNoun } from "@/app/_components/figures";
import { Select } from "@/app/_components/form/select";
import { TextArea } from "@/app/_components/form/text-area";
import { TextInput } from "@/app/_components/form/text-input";
import { Notice } from "@/app/_components/notice";
import { formatInstant } from "@/app/_components/times";
import { ActionDialog, ActionForm } from "@/app/admin/_components/action-controls";
import type { FormState } from "@/app/admin/_components/flash-notice";
import type { Pause, PauseTarget } from "@/db/queries/pauses";
import { describePauseTarget } from "@/lib/access/pauses";
import type { PauseReach } from "@/lib/admin/read-pause-reach";
import { ADDRESS_CHANNELS } from "@/lib/outbound/channels";
import { adminPaths } from "@/lib/paths";

/** Delivery channels as a phrase: `the API, webhooks, Telegram, … or …`. */
const WAYS = new Intl.ListFormat("en-GB", { type: "disjunction" }).format([
  "the API",
  "webhooks",
  "Telegram",
  ...Object.values(ADDRESS_CHANNELS).map(({ title }) => title),
]);

/** A pause to confirm, with the numbers of slots, subscribers and connected EAs affected. */
export interface PausePreview {
  target: PauseTarget;
  reach: PauseReach;
}

/** Pauses in force, former ones, and the form with its preview. `target` is preset on the page of a slot. */
export function PauseCard({
  open,
  past,
  slots,
  target,
  preview = null,
  form,
}: {
  open: readonly Pause[];
  past: readonly Pause[];
  slots: readonly { symbol: string; timeframe: string }[];
  target?: string;
  preview?: PausePreview | null;
  form: FormState;
}) {
  const symbols = [...new Set(slots.map(({ symbol }) => symbol))];
  return (
    <Card
      title="Pause signals"
      lead={`Paused signals are not delivered: not by ${WAYS}. They are still made, resolved and counted in the record. Subscribers see the reason.`}
    >
      {open.length > 0 && (
        <ul className="mb-6 divide-y border-y text-sm">
          {open.map((pause) => (
            <li key={pause.id} className="flex flex-wrap items-center justify-between gap-3 py-3">
              <div className="min-w-0">
                <p className="font-medium">
                  {capital(describePauseTarget(pause))}: {pause.reason}
                </p>
                <p className="text-muted">
                  since {formatInstant(pause.startedAt)}
                  {pause.until && `, ends automatically at ${formatInstant(pause.until)}`}
                </p>
              </div>
              <ActionDialog
                needs="pause.end"
                trigger="End pause"
                triggerVariant="secondary"
                triggerSize="small"
                title="End this pause?"
                consequence={`The newest signals (${describePauseTarget(pause)}) are delivered again at once, including those made during the pause.`}
                confirmLabel="End pause"
                action={adminPaths.signalsForm("end-pause")}
                fields={{ id: String(pause.id) }}
              />
            </li>
          ))}
        </ul>
      )}
      <ActionForm needs="pause.start" action={adminPaths.signalsForm("pause")} className="space-y-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Select
            label="What"
            name="target"
            required
            defaultValue={form.values.target ?? target ?? ""}
            error={form.errors.target}
            options={[
              { value: "", label: "Choose what to pause", disabled: true },
              ...symbols.map((symbol) => ({ value: symbol, label: `All of ${symbol}` })),
              ...slots.map(({ symbol, timeframe }) => ({
                value: `${symbol}/${timeframe}`,
                label: `${symbol} ${timeframe}`,
              })),
              { value: "all", label: "Everything" },
            ]}
          />
          <TextInput
            label="Until, UTC (optional)"
            name="until"
            type="datetime-local"
            defaultValue={form.values.until}
            error={form.errors.until}
            hint="Blank: until you end it."
          />
        </div>
        <TextArea
          label="Reason, shown to subscribers"
          name="reason"
          required
          maxLength={300}
          defaultValue={form.values.reason}
          error={form.errors.reason}
          rows={2}
        />
        <Button type="submit">Preview</Button>
      </ActionForm>
      {preview && <Preview preview={preview} values={form.values} />}
      {past.length > 0 && (
        <details className="mt-6 text-sm">
          <summary className="min-h-6 text-muted hover:text-ink">Earlier pauses</summary>
          <ul className="mt-2 divide-y border-y">
            {past.map((pause) => (
              <li key={pause.id} className="py-2">
                {capital(describePauseTarget(pause))}, {formatInstant(pause.startedAt)} to{" "}
                {pause.endedAt && formatInstant(pause.endedAt)}: {pause.reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  );
}

/** The numbers of slots, subscribers and connected EAs that the pause would affect, and the button that starts it. */
function Preview({
  preview: { target, reach },
  values,
}: {
  preview: PausePreview;
  values: Record<string, string>;
}) {
  const isAll = target.symbol === null;
  const words = `${capital(describePauseTarget(target))}: ${countWithNoun(reach.slots, "slot")}, ${countWithNoun(reach.subscribers, "subscriber")}, ${countWithNoun(reach.online, "connected EA")}.`;
  const fields = {
    target: values.target ?? "",
    reason: values.reason ?? "",
    until: values.until ?? "",
    confirmed: "true",
  };
  return (
    <div className="mt-6 space-y-4">
      <Notice tone="warn" title="Not paused yet" announce>
        {words} {values.until ? `Until ${values.until.replace("T", " ")} UTC.` : "Until you end it."}
      </Notice>
      {isAll ? (
        <ActionDialog
          needs="pause.start"
          trigger="Pause now"
          title="Pause every signal?"
          consequence={`${words} They stop receiving signals at once.`}
          confirmLabel="Pause now"
          typedWord="PAUSE"
          action={adminPaths.signalsForm("pause")}
          fields={fields}
        />
      ) : (
        <ActionForm needs="pause.start" action={adminPaths.signalsForm("pause")}>
          {Object.entries(fields).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <Button type="submit" variant="danger">
            Pause now
          </Button>
        </ActionForm>
      )}
    </div>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
