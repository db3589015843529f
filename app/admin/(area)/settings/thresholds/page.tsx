import type { Metadata } from "next";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Checkbox } from "@/app/_components/form/checkbox";
import { TextInput } from "@/app/_components/form/text-input";
import { ActionForm } from "@/app/admin/_components/allowed";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { PreviewNotice } from "@/app/admin/(area)/settings/_components/preview-notice";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import { readSlotSettings, type SlotSettings } from "@/lib/admin/settings/change-thresholds";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { MIN_TRAINING_CANDLES } from "@/lib/engine/train";
import { adminPaths } from "@/lib/paths";

export const metadata: Metadata = { title: "Thresholds and training" };

const HEALTH = "thresholds.health";
const TRAINING = "thresholds.training";

/** When slots count as late, and how often they are trained. */
export default async function Thresholds() {
  const session = await requireAdminSession(adminPaths.thresholds());
  const [flash, settings] = await Promise.all([
    consumeFlash(db(), session.sessionId),
    readSlotSettings(db()),
  ]);
  const health = formState(flash, HEALTH);
  const training = formState(flash, TRAINING);
  const healthValues = health.returned ? health.values : healthValuesOf(settings);
  const trainingValues = training.returned ? training.values : trainingValuesOf(settings);
  const ofHealth = (name: string) => ({ name, defaultValue: healthValues[name], error: health.errors[name] });
  const ofTraining = (name: string) => ({
    name,
    defaultValue: trainingValues[name],
    error: training.errors[name],
  });
  return (
    <>
      <SettingsHeader
        title="Thresholds and training"
        lead="When the service counts as late or down, and how often the models of its slots are trained."
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        <ActionForm
          needs="thresholds.health"
          action={adminPaths.saveHealthThresholds()}
          className="space-y-6"
        >
          <PreviewNotice flash={flash} form={HEALTH} />
          <Card
            title="Late and down"
            lead="T is the shortest timeframe that has an active model. Minutes are those of an open market."
          >
            <div className="grid gap-5 sm:grid-cols-2 lg:grid-cols-4">
              <TextInput
                {...ofHealth("degraded_lag_minutes")}
                label="Degraded after T and"
                hint="Minutes since the newest signal or candle."
                required
                inputMode="numeric"
              />
              <TextInput
                {...ofHealth("degraded_stale_pct")}
                label="Degraded over so many stale"
                hint="Per cent of the active slots."
                required
                inputMode="decimal"
              />
              <TextInput
                {...ofHealth("down_lag_factor")}
                label="Down after so many T"
                hint="Since the newest signal."
                required
                inputMode="decimal"
              />
              <TextInput
                {...ofHealth("down_lag_minutes")}
                label="And so much more"
                hint="Minutes."
                required
                inputMode="numeric"
              />
            </div>
            <div className="mt-5">
              <Button type="submit">Show what it would be now</Button>
            </div>
          </Card>
        </ActionForm>
        <ActionForm needs="thresholds.training" action={adminPaths.saveTraining()} className="space-y-6">
          <PreviewNotice flash={flash} form={TRAINING} />
          <Card title="Training" lead="Each slot by itself, one after the other, in the background.">
            <div className="grid gap-5 sm:grid-cols-2 lg:grid-cols-4">
              <TextInput
                {...ofTraining("every_hours")}
                label="Hours between two trainings"
                hint="168 is a week."
                required
                inputMode="numeric"
              />
              <TextInput
                {...ofTraining("after_minutes")}
                label="Minutes before the first"
                hint="History is being loaded then."
                required
                inputMode="numeric"
              />
              <TextInput
                {...ofTraining("min_candles")}
                label="Candles at least"
                hint={`${MIN_TRAINING_CANDLES} or more.`}
                required
                inputMode="numeric"
              />
              <Checkbox
                name="enabled"
                value="true"
                defaultChecked={trainingValues.enabled === "true"}
                label="Slots are trained"
                className="lg:pt-8"
              />
            </div>
            <div className="mt-5">
              <Button type="submit">Show what it would do</Button>
            </div>
          </Card>
        </ActionForm>
      </div>
    </>
  );
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
