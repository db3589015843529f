import type { Metadata } from "next";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { Checkbox } from "@/app/_components/form/checkbox";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";
import { Link } from "@/app/_components/link";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { SettingForm } from "@/app/admin/(area)/settings/_components/setting-form";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import { listSlotSettings, nothingSaidOf, type SlotSetting } from "@/db/queries/slot-settings";
import { listSlots, slotKey } from "@/db/queries/slots";
import { readDocuments } from "@/lib/admin/settings/change-document";
import { readSlotSettings, type SlotSettings } from "@/lib/admin/settings/change-thresholds";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { MIN_TRAINING_CANDLES } from "@/lib/engine/train";
import { FRESHNESS_GRACE_MINUTES } from "@/lib/market/freshness";
import { bySlot } from "@/lib/market/slot-order";
import { adminPaths } from "@/lib/paths";
import type { SearchParams } from "@/lib/wire/query-filter";

export const metadata: Metadata = { title: "Thresholds and training" };

const SLOT = "thresholds.slot";

/** When slots count as late, and how often they are trained. */
export default async function Thresholds({ searchParams }: { searchParams: SearchParams }) {
  const session = await requireAdminSession(adminPaths.thresholds());
  const { slot: wanted } = await searchParams;
  const [flash, settings, { baseline }, slots, said] = await Promise.all([
    consumeFlash(db(), session.sessionId),
    readSlotSettings(db()),
    readDocuments(db()),
    listSlots(db()),
    listSlotSettings(db()),
  ]);
  const saidOf = new Map(said.map((setting) => [slotKey(setting), setting]));
  const rows = [...new Map([...said, ...slots].map((slot) => [slotKey(slot), slot])).values()]
    .map((slot) => saidOf.get(slotKey(slot)) ?? nothingSaidOf(slot))
    .toSorted(bySlot);
  const sentSlot = formState(flash, SLOT).values;
  const named = sentSlot.symbol ? `${sentSlot.symbol}/${sentSlot.timeframe}` : wanted;
  const chosen = rows.find((slot) => slotKey(slot) === named) ?? rows[0];
  return (
    <>
      <SettingsHeader
        title="Thresholds and training"
        lead="When the service counts as late or down, and how often the models of its slots are trained."
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        <SettingForm
          name="thresholds.health"
          action={adminPaths.saveHealthThresholds()}
          flash={flash}
          stored={settings.health}
          values={healthValuesOf(settings)}
          title="Late and down"
          lead="T is the shortest timeframe that has an active model. Minutes are those of an open market."
          asks="Show what it would be now"
        >
          {(field) => (
            <div className="grid gap-5 sm:grid-cols-2 lg:grid-cols-4">
              <TextInput
                {...field("degraded_lag_minutes")}
                label="Degraded after T and"
                hint="Minutes since the newest signal or candle."
                required
                inputMode="numeric"
              />
              <TextInput
                {...field("degraded_stale_pct")}
                label="Degraded over so many stale"
                hint="Per cent of the active slots."
                required
                inputMode="decimal"
              />
              <TextInput
                {...field("down_lag_factor")}
                label="Down after so many T"
                hint="Since the newest signal."
                required
                inputMode="decimal"
              />
              <TextInput
                {...field("down_lag_minutes")}
                label="And so much more"
                hint="Minutes."
                required
                inputMode="numeric"
              />
            </div>
          )}
        </SettingForm>
        <SettingForm
          name="thresholds.training"
          action={adminPaths.saveTraining()}
          flash={flash}
          stored={settings.training}
          values={trainingValuesOf(settings)}
          title="Training"
          lead="Each slot by itself, one after the other, in the background."
        >
          {(field, filled) => (
            <div className="grid gap-5 sm:grid-cols-2 lg:grid-cols-4">
              <TextInput
                {...field("every_hours")}
                label="Hours between two trainings"
                hint="168 is a week."
                required
                inputMode="numeric"
              />
              <TextInput
                {...field("after_minutes")}
                label="Minutes before the first"
                hint="History is being loaded then."
                required
                inputMode="numeric"
              />
              <TextInput
                {...field("min_candles")}
                label="Candles at least"
                hint={`${MIN_TRAINING_CANDLES} or more.`}
                required
                inputMode="numeric"
              />
              <Checkbox
                name="enabled"
                value="true"
                defaultChecked={filled.enabled === "true"}
                label="Slots are trained"
                className="lg:pt-8"
              />
            </div>
          )}
        </SettingForm>
        {chosen && (
          <SettingForm
            key={slotKey(chosen)}
            name={SLOT}
            action={adminPaths.saveSlot()}
            flash={flash}
            stored={chosen}
            values={slotValuesOf(chosen)}
            title={`One slot: ${chosen.symbol} ${chosen.timeframe}`}
            lead="What is left empty is as it is for all others. Choose another slot in the table below."
          >
            {(field) => (
              <div className="grid gap-5 sm:grid-cols-3">
                <input type="hidden" name="symbol" value={chosen.symbol} />
                <input type="hidden" name="timeframe" value={chosen.timeframe} />
                <TextInput
                  {...field("grace_minutes")}
                  label="Stale after so many minutes"
                  hint="After its next signal was due, in an open market."
                  placeholder={String(FRESHNESS_GRACE_MINUTES)}
                  inputMode="numeric"
                />
                <Select
                  {...field("trained")}
                  label="It is trained"
                  options={[
                    { value: "general", label: settings.training.enabled ? "as all: yes" : "as all: no" },
                    { value: "yes", label: "yes" },
                    { value: "no", label: "no" },
                  ]}
                />
                <TextInput
                  {...field("train_every_hours")}
                  label="Hours between two trainings"
                  placeholder={String(settings.training.everyHours)}
                  inputMode="numeric"
                />
              </div>
            )}
          </SettingForm>
        )}
        <Card title="Slots" flush>
          <DataTable
            caption="Slots with what is said of each"
            rows={rows}
            rowKey={slotKey}
            columns={columnsOf(settings)}
          />
        </Card>
        <SettingForm
          name="thresholds.baseline"
          action={adminPaths.saveBaseline()}
          flash={flash}
          stored={baseline}
          values={{
            threshold_r: String(baseline.thresholdR),
            z: String(baseline.z),
            min_independent: String(baseline.minIndependent),
            shrinkage_candles: String(baseline.shrinkageCandles),
            expected_rr: String(baseline.expectedRr),
          }}
          title="Baseline"
          lead="How careful the model is that serves a slot until a trained one is better. The higher the first three, the fewer signals have a direction."
        >
          {(field) => (
            <div className="grid gap-5 sm:grid-cols-2 lg:grid-cols-3">
              <TextInput
                {...field("threshold_r")}
                label="Expected at least, in R"
                hint="Of the lower bound, after costs."
                required
                inputMode="decimal"
              />
              <TextInput
                {...field("z")}
                label="Standard errors below"
                hint="From the mean to its lower bound."
                required
                inputMode="decimal"
              />
              <TextInput
                {...field("min_independent")}
                label="Results at least"
                hint="In a regime, overlapping ones counted once."
                required
                inputMode="numeric"
              />
              <TextInput
                {...field("shrinkage_candles")}
                label="Weight of the slot, in candles"
                hint="Against what is counted in one regime."
                required
                inputMode="numeric"
              />
              <TextInput
                {...field("expected_rr")}
                label="Target, in multiples of the stop"
                required
                inputMode="decimal"
              />
            </div>
          )}
        </SettingForm>
      </div>
    </>
  );
}

const slotValuesOf = ({ graceMinutes, isTrained, trainEveryHours }: SlotSetting): Record<string, string> => ({
  grace_minutes: graceMinutes === null ? "" : String(graceMinutes),
  trained: isTrained === null ? "general" : isTrained ? "yes" : "no",
  train_every_hours: trainEveryHours === null ? "" : String(trainEveryHours),
});

/** What is said of the slot itself stands out from what holds for all. */
const own = (value: string | number, isOwn: boolean) =>
  isOwn ? value : <span className="text-muted">{value}</span>;

function columnsOf({ training }: SlotSettings): Column<SlotSetting>[] {
  return [
    {
      key: "slot",
      header: "Slot",
      primary: true,
      cell: (slot) => (
        <Link href={adminPaths.thresholds({ slot: slotKey(slot) })} className="link">
          {slot.symbol} {slot.timeframe}
        </Link>
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

const healthValuesOf = ({ health }: SlotSettings): Record<string, string> => ({
  down_lag_factor: String(health.downLagFactor),
  down_lag_minutes: String(health.downLagMinutes),
  degraded_lag_minutes: String(health.degradedLagMinutes),
  // Without the tail that a product of two fractions has.
  degraded_stale_pct: String(Number((health.degradedStaleShare * 100).toFixed(6))),
});

const trainingValuesOf = ({ training }: SlotSettings): Record<string, string> => ({
  enabled: String(training.enabled),
  every_hours: String(training.everyHours),
  after_minutes: String(training.afterMinutes),
  min_candles: String(training.minCandles),
});
