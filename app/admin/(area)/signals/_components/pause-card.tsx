import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Select } from "@/app/_components/form/select";
import { TextArea } from "@/app/_components/form/text-area";
import { TextInput } from "@/app/_components/form/text-input";
import { formatInstant } from "@/app/_components/times";
import { ActionDialog, ActionForm } from "@/app/admin/_components/allowed";
import type { FormState } from "@/app/admin/_components/flash-notice";
import type { Pause } from "@/db/queries/pauses";
import { pauseWords } from "@/lib/access/pauses";
import { adminPaths } from "@/lib/paths";

/** What is paused, what was, and the form that pauses. `target` is chosen beforehand on the page of a slot. */
export function PauseCard({
  open,
  past,
  slots,
  target,
  form,
}: {
  open: readonly Pause[];
  past: readonly Pause[];
  slots: readonly { symbol: string; timeframe: string }[];
  target?: string;
  form: FormState;
}) {
  const symbols = [...new Set(slots.map(({ symbol }) => symbol))];
  return (
    <Card
      title="Pause signals"
      lead="While a pause lasts, these signals are not given out: not in the scan, in streams, to webhooks or to Telegram. Signals are still made, judged and counted in the record. Subscribers read the reason."
    >
      {open.length > 0 && (
        <ul className="mb-6 divide-y border-y text-sm">
          {open.map((pause) => (
            <li key={pause.id} className="flex flex-wrap items-center justify-between gap-3 py-3">
              <div className="min-w-0">
                <p className="font-medium">
                  {capital(pauseWords(pause))}: {pause.reason}
                </p>
                <p className="text-muted">
                  since {formatInstant(pause.startedAt)}
                  {pause.until && `, ends by itself at ${formatInstant(pause.until)}`}
                </p>
              </div>
              <ActionDialog
                needs="pause.end"
                trigger="End the pause"
                triggerVariant="secondary"
                triggerSize="small"
                title="End this pause?"
                consequence={`The newest signals (${pauseWords(pause)}) are given out again at once, also those made during the pause.`}
                confirmLabel="End the pause"
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
            defaultValue={form.values.target ?? target ?? "all"}
            error={form.errors.target}
            options={[
              { value: "all", label: "Everything" },
              ...symbols.map((symbol) => ({ value: symbol, label: `All of ${symbol}` })),
              ...slots.map(({ symbol, timeframe }) => ({
                value: `${symbol}/${timeframe}`,
                label: `${symbol} ${timeframe}`,
              })),
            ]}
          />
          <TextInput
            label="Until, UTC (optional)"
            name="until"
            type="datetime-local"
            defaultValue={form.values.until}
            error={form.errors.until}
            hint="Empty: until you end it."
          />
        </div>
        <TextArea
          label="Reason, as subscribers read it"
          name="reason"
          required
          maxLength={300}
          defaultValue={form.values.reason}
          error={form.errors.reason}
          rows={2}
        />
        <Button type="submit" variant="danger">
          Pause now
        </Button>
      </ActionForm>
      {past.length > 0 && (
        <details className="mt-6 text-sm">
          <summary className="min-h-6 text-muted hover:text-ink">Earlier pauses</summary>
          <ul className="mt-2 divide-y border-y">
            {past.map((pause) => (
              <li key={pause.id} className="py-2">
                {capital(pauseWords(pause))}, {formatInstant(pause.startedAt)} to{" "}
                {pause.endedAt && formatInstant(pause.endedAt)}: {pause.reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
