import type { Database } from "@/db/client";
import { readSetting } from "@/db/queries/settings";
import { listSlotStates } from "@/db/queries/slots";
import { BASELINE_VERSION, type BaselineSettings } from "../engine/baseline";
import { HISTORY_CANDLES, produceSignals } from "./produce-signals";

/** For every slot whose champion is the baseline: signals for candles that closed since the newest one. */
export async function produceDueSignals(database: Database, signal: AbortSignal): Promise<void> {
  const due = (await listSlotStates(database)).filter(
    (slot) =>
      slot.modelV === BASELINE_VERSION &&
      slot.lastCandleTs !== null &&
      (slot.lastSignalTs === null || slot.lastCandleTs > slot.lastSignalTs),
  );
  if (due.length === 0) return;
  const settings = (await readSetting<Partial<BaselineSettings>>(database, "baseline")) ?? {};
  for (const slot of due) {
    if (signal.aborted) return;
    await produceSignals(
      database,
      slot,
      { after: slot.lastSignalTs, historyCandles: HISTORY_CANDLES },
      settings,
    );
  }
}
