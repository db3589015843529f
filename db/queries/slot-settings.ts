import { and, asc, eq } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { slotSettings } from "@/db/schema";
import type { SlotName } from "./slots";

/** The operator's settings of one slot. A field that is null has no override: the general setting applies. */
export type SlotSetting = Omit<typeof slotSettings.$inferSelect, "createdAt">;

const SETTING = {
  symbol: slotSettings.symbol,
  timeframe: slotSettings.timeframe,
  graceMinutes: slotSettings.graceMinutes,
  isTrained: slotSettings.isTrained,
  trainEveryHours: slotSettings.trainEveryHours,
};
const isSlot = ({ symbol, timeframe }: SlotName) =>
  and(eq(slotSettings.symbol, symbol), eq(slotSettings.timeframe, timeframe));

/** The stored settings of slots, each of which overrides at least one general setting. */
export async function listSlotSettings(handle: DatabaseHandle): Promise<SlotSetting[]> {
  return handle
    .select(SETTING)
    .from(slotSettings)
    .orderBy(asc(slotSettings.symbol), asc(slotSettings.timeframe));
}

/** The settings of one slot; all null without a row. */
export async function readSlotSetting(handle: DatabaseHandle, slot: SlotName): Promise<SlotSetting> {
  const [row] = await handle.select(SETTING).from(slotSettings).where(isSlot(slot));
  return row ?? defaultSlotSetting(slot);
}

export const defaultSlotSetting = ({ symbol, timeframe }: SlotName): SlotSetting => ({
  symbol,
  timeframe,
  graceMinutes: null,
  isTrained: null,
  trainEveryHours: null,
});

/** Stores the settings of a slot; without any value the row is deleted and the general settings apply. */
export async function writeSlotSetting(tx: Transaction, setting: SlotSetting): Promise<void> {
  const { symbol: _, timeframe: __, ...set } = setting;
  if (Object.values(set).every((value) => value === null)) {
    await tx.delete(slotSettings).where(isSlot(setting));
    return;
  }
  await tx
    .insert(slotSettings)
    .values(setting)
    .onConflictDoUpdate({ target: [slotSettings.symbol, slotSettings.timeframe], set });
}
