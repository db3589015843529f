import type { Database } from "@/db/client";
import { readClock } from "@/db/queries/instants";
import { readSetting } from "@/db/queries/settings";
import { listProductionStates } from "@/db/queries/slots";
import { BASELINE_VERSION, type BaselineSettings } from "@/lib/engine/baseline";
import { dueCandles } from "./due-candles";
import { findTrainedModel } from "./find-trained-model";
import { forecastWithModel } from "./forecast-with-model";
import { produceSignals } from "./produce-signals";

/**
 * Records the signals of the candles that closed since the newest signal of their slot, for every slot whose champion
 * is the baseline or was trained here. Those missed in a downtime are recorded as well, marked as made after the fact.
 * The operator's pipeline makes the signals of a champion that the operator registered.
 *
 * @returns how many were recorded
 */
export async function produceDueSignals(database: Database, signal: AbortSignal): Promise<number> {
  const states = await listProductionStates(database);
  if (states.length === 0) return 0;
  const now = await readClock(database);
  const due = states.flatMap((slot) => {
    const candles = dueCandles(slot, now);
    return candles === null ? [] : [{ slot, range: { ...candles, now } }];
  });
  if (due.length === 0) return 0;
  const settings = (await readSetting<Partial<BaselineSettings>>(database, "baseline")) ?? {};
  let recorded = 0;
  for (const { slot, range } of due) {
    if (signal.aborted) break;
    if (slot.modelV === BASELINE_VERSION) {
      recorded += await produceSignals(database, slot, range, settings);
      continue;
    }
    const trained = await findTrainedModel(database, slot.slotId, slot.modelV);
    if (trained !== null) recorded += await forecastWithModel(database, slot, range, trained);
  }
  return recorded;
}
