import type { Metadata } from "next";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { FormVersionField } from "@/app/admin/(area)/settings/_components/form-version";
import { PreviewNotice } from "@/app/admin/(area)/settings/_components/preview-notice";
import { SettingForms } from "@/app/admin/(area)/settings/_components/setting-forms";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import { defaultSlotSetting, listSlotSettings, type SlotSetting } from "@/db/queries/slot-settings";
import { listSlots, slotKey } from "@/db/queries/slots";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { FRESHNESS_GRACE_MINUTES } from "@/lib/market/freshness";
import { compareSlots } from "@/lib/market/slot-order";
import { adminPaths } from "@/lib/paths";
import { settingInForce } from "@/lib/settings/registry";
import type { TrainingPlan } from "@/lib/settings/training-plan";
import type { SearchParams } from "@/lib/wire/query-filter";

export const metadata: Metadata = { title: "Thresholds and training" };

const SLOT = "thresholds.slot";

/** The page of staleness limits and training intervals, for all slots and for single ones. */
export default async function Thresholds({ searchParams }: { searchParams: SearchParams }) {
  const session = await requireAdminSession(adminPaths.thresholds());
  const { slot: wanted } = await searchParams;
  const [flash, training, slots, said] = await Promise.all([
    consumeFlash(db(), session.sessionId),
    settingInForce(db(), "training"),
    listSlots(db()),
    listSlotSettings(db()),
  ]);
  const saidOf = new Map(said.map((setting) => [slotKey(setting), setting]));
  const rows = [...new Map([...said, ...slots].map((slot) => [slotKey(slot), slot])).values()]
    .map((slot) => saidOf.get(slotKey(slot)) ?? defaultSlotSetting(slot))
    .toSorted(compareSlots);
  const form = formState(flash, SLOT);
  const named = form.values.symbol ? `${form.values.symbol}/${form.values.timeframe}` : wanted;
  const chosen = rows.find((slot) => slotKey(slot) === named) ?? rows[0];
  const values = form.returned || !chosen ? form.values : slotValuesOf(chosen);
  const field = (name: string) => ({ name, defaultValue: values[name], error: form.errors[name] });
  return (
    <>
      <SettingsHeader
        title="Thresholds and training"
        lead="When the service counts as degraded or down, and how often models are trained."
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        <SettingForms page="thresholds" flash={flash} />
        {chosen && (
          <ActionForm key={slotKey(chosen)} needs={SLOT} action={adminPaths.saveSlot()} className="space-y-6">
            <PreviewNotice flash={flash} form={SLOT} />
            <FormVersionField form={form} stored={chosen} />
            <Card
              title={`One slot: ${chosen.symbol} ${chosen.timeframe}`}
              lead="Empty fields use the general values. Choose another slot in the table below."
            >
              <div className="grid gap-5 sm:grid-cols-3">
                <input type="hidden" name="symbol" value={chosen.symbol} />
                <input type="hidden" name="timeframe" value={chosen.timeframe} />
                <TextInput
                  {...field("grace_minutes")}
                  label="Minutes until stale"
                  hint="Open-market time after the next signal was due."
                  placeholder={String(FRESHNESS_GRACE_MINUTES)}
                  inputMode="numeric"
                />
                <Select
                  {...field("trained")}
                  label="Training"
                  options={[
                    {
                      value: "general",
                      label: training.enabled ? "general value: yes" : "general value: no",
                    },
                    { value: "yes", label: "yes" },
                    { value: "no", label: "no" },
                  ]}
                />
                <TextInput
                  {...field("train_every_hours")}
                  label="Hours between two trainings"
                  placeholder={String(training.everyHours)}
                  inputMode="numeric"
                />
              </div>
              <div className="mt-5">
                <Button type="submit">Preview</Button>
              </div>
            </Card>
          </ActionForm>
        )}
        <Card title="Slots" flush>
          <DataTable
            caption="Slots with their own values"
            rows={rows}
            rowKey={slotKey}
            columns={columnsOf(training)}
          />
        </Card>
      </div>
    </>
  );
}

const slotValuesOf = ({ graceMinutes, isTrained, trainEveryHours }: SlotSetting): Record<string, string> => ({
  grace_minutes: graceMinutes === null ? "" : String(graceMinutes),
  trained: isTrained === null ? "general" : isTrained ? "yes" : "no",
  train_every_hours: trainEveryHours === null ? "" : String(trainEveryHours),
});

/** A table value; muted if it is the general value and not the slot's own. */
const own = (value: string | number, isOwn: boolean) =>
  isOwn ? value : <span className="text-muted">{value}</span>;

function columnsOf(training: TrainingPlan): Column<SlotSetting>[] {
  return [
    {
      key: "slot",
      header: "Slot",
      primary: true,
      cell: (slot) => (
        <a href={adminPaths.thresholds({ slot: slotKey(slot) })} className="link">
          {slot.symbol} {slot.timeframe}
        </a>
      ),
    },
    {
      key: "grace",
      header: "Stale after",
      unit: "minutes",
      align: "right",
      cell: ({ graceMinutes }) => own(graceMinutes ?? FRESHNESS_GRACE_MINUTES, graceMinutes !== null),
    },
    {
      key: "trained",
      header: "Trained",
      cell: ({ isTrained }) => own((isTrained ?? training.enabled) ? "yes" : "no", isTrained !== null),
    },
    {
      key: "every",
      header: "Every",
      unit: "hours",
      align: "right",
      cell: ({ trainEveryHours }) => own(trainEveryHours ?? training.everyHours, trainEveryHours !== null),
    },
  ];
}
