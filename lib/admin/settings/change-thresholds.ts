import { isDeepStrictEqual } from "node:util";
import type { Database, Handle } from "@/db/client";
import { lockSettings, readSetting, writeSetting } from "@/db/queries/settings";
import { listSlotStates } from "@/db/queries/slots";
import { listTrainingStates } from "@/db/queries/trainings";
import { assessSlots, type HealthThresholds } from "@/lib/health/assess-health";
import { readHealthThresholds } from "@/lib/health/read-thresholds";
import {
  isTrainable,
  isTrainingDue,
  planOfSlot,
  readSlotPlans,
  TrainingPlan,
} from "@/lib/models/training/training-plan";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { type Asked, type Changed, isOvertaken, type Preview, previewMark } from "@/lib/runtime/preview";

/** What an operator says of all slots: when they count as late, and how often they are trained. */
export interface SlotSettings {
  health: HealthThresholds;
  training: TrainingPlan;
}

/** The rows that hold them. */
const ROWS = { health: "health_thresholds", training: "training" } as const satisfies Record<
  keyof SlotSettings,
  string
>;

/** The settings in force, with the default of each that was never written. */
export async function readSlotSettings(handle: Handle): Promise<SlotSettings> {
  const [health, training] = await Promise.all([
    readHealthThresholds(handle),
    readSetting<unknown>(handle, ROWS.training),
  ]);
  return { health, training: TrainingPlan.parse(training ?? {}) };
}

/** One group of them as it shall be. */
export type SlotSettingsChange = {
  [K in keyof SlotSettings]: { of: K; after: SlotSettings[K] };
}[keyof SlotSettings];

/** Stores one group, once what that does was confirmed. The worker and every instance read it anew each time. */
export async function changeSlotSettings(
  database: Database,
  change: SlotSettingsChange,
  asked: Asked,
  actor: Actor,
): Promise<Changed> {
  return database.transaction(async (tx): Promise<Changed> => {
    await lockSettings(tx);
    const settings = await readSlotSettings(tx);
    const before = settings[change.of];
    const { after } = change;
    if (isOvertaken(asked, before)) return { outcome: "overtaken" };
    if (isDeepStrictEqual(before, after)) return { outcome: "unchanged" };
    const preview =
      change.of === "health"
        ? await previewHealth(tx, settings.health, change.after)
        : await previewTraining(tx, settings.training, change.after);
    // What is stale just now changes from minute to minute: only the change itself has to be the one that was shown.
    const mark = previewMark({ before, after, preview: { lines: [], cutsOff: 0 } });
    if (asked.mark !== mark) return { outcome: "previewed", preview, mark };
    await writeSlotSettings(tx, change);
    await recordAudit(tx, {
      actor,
      action: `${change.of}.change`,
      target: `setting/${ROWS[change.of]}`,
      details: { before, after },
    });
    return { outcome: "stored" };
  });
}

/** Writes one group without asking. */
export const writeSlotSettings = (handle: Handle, { of, after }: SlotSettingsChange): Promise<void> =>
  writeSetting(handle, ROWS[of], after);

async function previewHealth(
  handle: Handle,
  before: HealthThresholds,
  after: HealthThresholds,
): Promise<Preview> {
  const states = await listSlotStates(handle);
  const now = new Date();
  const [was, would] = [before, after].map((thresholds) => assessSlots(states, now, thresholds));
  if (!was || !would) return { lines: [], cutsOff: 0 };
  const reasons = would.reasons.map(({ text }) => text).join("; ");
  const lines = [
    was.status === would.status
      ? `By its ${would.totalActiveSlots} active slots the service is ${would.status} now, and would stay so.`
      : `By its ${would.totalActiveSlots} active slots the service would be ${would.status} now instead of ${was.status}${reasons === "" ? "" : `: ${reasons}`}.`,
    `${would.stalePredCount} of them are stale now. A monitor that reads /api/health is told by these figures.`,
  ];
  return { lines, cutsOff: 0 };
}

async function previewTraining(handle: Handle, before: TrainingPlan, after: TrainingPlan): Promise<Preview> {
  const [fewer, more, slots] = await Promise.all([
    listTrainingStates(handle, before.minCandles),
    listTrainingStates(handle, after.minCandles),
    readSlotPlans(handle),
  ]);
  const now = new Date();
  const due = more.filter((slot) => isTrainingDue(slot, planOfSlot(after, slot, slots), now)).length;
  const wasDue = fewer.filter((slot) => isTrainingDue(slot, planOfSlot(before, slot, slots), now)).length;
  const own = [...slots.values()].filter(
    ({ isTrained, trainEveryHours }) => (isTrained ?? trainEveryHours) !== null,
  );
  const lines = [
    ...(own.length > 0
      ? [
          `${own.length} ${own.length === 1 ? "slot has" : "slots have"} a schedule of their own, which goes before this.`,
        ]
      : []),
    after.enabled
      ? `${more.filter(isTrainable).length} slots would be trained every ${after.everyHours} hours.`
      : "No slot would be trained any more: those that are served keep the model that they have.",
    `${due} ${due === 1 ? "is" : "are"} due at once, instead of ${wasDue}. They are trained one after the other.`,
  ];
  return { lines, cutsOff: 0 };
}
