import type { Database } from "@/db/client";
import { readSetting } from "@/db/queries/settings";
import { listSlotStates } from "@/db/queries/slots";
import { BASELINE_VERSION, type BaselineSettings } from "@/lib/engine/baseline";
import { findTrainedModel } from "./find-trained-model";
import { forecastWithModel } from "./forecast-with-model";
import { HISTORY_CANDLES, produceSignals } from "./produce-signals";

/**
 * Records the signals of all candles that closed since the newest signal of their slot, for every slot whose champion
 * is the baseline or was trained here. After a downtime it makes the missed signals as well; their `created_at` shows
 * that they came late. The operator's pipeline makes the signals of a champion that the operator registered.
 *
 * @returns how many were recorded
 */
export async function produceDueSignals(database: Database, signal: AbortSignal): Promise<number> {
  const due = (await listSlotStates(database)).filter(
    (slot) =>
      slot.modelV !== null &&
      slot.lastSettledTs !== null &&
      (slot.lastSignalTs === null || slot.lastSettledTs > slot.lastSignalTs),
  );
  if (due.length === 0) return 0;
  const settings = (await readSetting<Partial<BaselineSettings>>(database, "baseline")) ?? {};
  let recorded = 0;
  for (const slot of due) {
    if (signal.aborted) break;
    if (slot.modelV === BASELINE_VERSION) {
      recorded += await produceSignals(
        database,
        slot,
        { after: slot.lastSignalTs, historyCandles: HISTORY_CANDLES },
        settings,
      );
      continue;
    }
    const trained = await findTrainedModel(database, slot.slotId, slot.modelV ?? "");
    if (trained !== null) recorded += await forecastWithModel(database, slot, trained);
  }
  return recorded;
}
