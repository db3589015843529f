import { and, asc, eq } from "drizzle-orm";
import type { Handle, Transaction } from "@/db/client";
import { slotSettings } from "@/db/schema";
import type { SlotName } from "./slots";

/** What the operator says of one slot; null follows what is said of all. */
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

/** The slots of which something is said. */
export async function listSlotSettings(handle: Handle): Promise<SlotSetting[]> {
  return handle
    .select(SETTING)
    .from(slotSettings)
    .orderBy(asc(slotSettings.symbol), asc(slotSettings.timeframe));
}

/** What is said of one slot; all null where nothing is. */
export async function readSlotSetting(handle: Handle, slot: SlotName): Promise<SlotSetting> {
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

/** Stores what is said of a slot; nothing, and it follows the others again. */
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
