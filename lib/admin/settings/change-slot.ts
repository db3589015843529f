import type { Database, DatabaseHandle } from "@/db/client";
import { countPlanHolders } from "@/db/queries/plans";
import { lockSettings } from "@/db/queries/settings";
import { readSlotSetting, type SlotSetting, writeSlotSetting } from "@/db/queries/slot-settings";
import { listSlotStates } from "@/db/queries/slots";
import { listTrainingStates } from "@/db/queries/trainings";
import { plans, scopeIncludes, scopeOfPlan } from "@/lib/access/plans";
import { FRESHNESS_GRACE_MINUTES, slotFreshness } from "@/lib/market/freshness";
import type { Actor } from "@/lib/runtime/audit";
import type { SettingChangeResult, SettingFormHiddenFields } from "@/lib/runtime/setting-change-preview";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { confirmChange } from "@/lib/settings/confirm-change";
import { settingInForce } from "@/lib/settings/registry";
import { isTrainable, isTrainingDue, trainingPlanOf } from "@/lib/settings/training-plan";

/** Stores the overrides of one slot after their preview was confirmed. Empty fields use the global value. */
export async function changeSlot(
  database: Database,
  after: SlotSetting,
  submitted: SettingFormHiddenFields,
  actor: Actor,
): Promise<SettingChangeResult> {
  const changed = await confirmChange<SlotSetting>(
    database,
    {
      after,
      lock: async (tx) => {
        await lockSettings(tx);
        return readSlotSetting(tx, after);
      },
      preview: async (tx, before) => ({ lines: await previewLines(tx, before, after), cutsOff: 0 }),
      isMoving: true,
      write: (tx) => writeSlotSetting(tx, after),
      audit: () => ({ action: "slot.change", target: `slot/${after.symbol}/${after.timeframe}` }),
    },
    submitted,
    actor,
  );
  if (changed.outcome === "stored") await settingsCache().readAgain();
  return changed;
}

async function previewLines(
  handle: DatabaseHandle,
  before: SlotSetting,
  after: SlotSetting,
): Promise<string[]> {
  const lines: string[] = [];
  if (before.graceMinutes !== after.graceMinutes)
    lines.push(...(await freshnessLines(handle, before, after)));
  if (before.isTrained !== after.isTrained || before.trainEveryHours !== after.trainEveryHours)
    lines.push(await trainingLine(handle, after));
  return lines;
}

async function freshnessLines(
  handle: DatabaseHandle,
  before: SlotSetting,
  after: SlotSetting,
): Promise<string[]> {
  const [states, holders] = await Promise.all([listSlotStates(handle), countPlanHolders(handle)]);
  const touched = plans()
    .filter((plan) => scopeIncludes(scopeOfPlan(plan), after.symbol, after.timeframe))
    .reduce((sum, { name }) => sum + (holders.get(name) ?? 0), 0);
  const state = states.find(
    ({ symbol, timeframe }) => symbol === after.symbol && timeframe === after.timeframe,
  );
  const word = (stale: boolean) => (stale ? "stale" : "fresh");
  const graceOf = (setting: SlotSetting) => setting.graceMinutes ?? FRESHNESS_GRACE_MINUTES;
  const lines = [
    `Its newest signal counts as stale ${graceOf(after)} minutes after the next one is due, instead of ${graceOf(before)}: for health, for alerts, and for the ${touched} subscriber${touched === 1 ? "" : "s"} with access to it.`,
  ];
  if (!state?.modelV) return [...lines, "No model produces its signals yet."];
  const { ageMinutes, expectedMinutes, stale } = slotFreshness({
    ...state,
    lastTs: state.lastSignalTs,
    now: new Date(),
  });
  const would = ageMinutes === null || ageMinutes > expectedMinutes + graceOf(after);
  return [
    ...lines,
    would === stale
      ? `It is ${word(stale)} now, and would stay ${word(stale)}.`
      : `It is ${word(stale)} now, and would be ${word(would)}.`,
  ];
}

async function trainingLine(handle: DatabaseHandle, after: SlotSetting): Promise<string> {
  const general = await settingInForce(handle, "training");
  const plan = trainingPlanOf(general, after, new Map([[`${after.symbol}/${after.timeframe}`, after]]));
  if (!plan.enabled) return "It would no longer be trained and would keep its present model.";
  const state = (await listTrainingStates(handle, plan.minCandles)).find(
    ({ symbol, timeframe }) => symbol === after.symbol && timeframe === after.timeframe,
  );
  const every = `It would be trained every ${plan.everyHours} hours`;
  if (!state || !isTrainable(state))
    return `${every}, once it has ${plan.minCandles} candles and a built-in model.`;
  return `${every}${isTrainingDue(state, plan, new Date()) ? ", and is due at once" : ""}.`;
}
