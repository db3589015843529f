import type { Database } from "@/db/client";
import { readClock } from "@/db/queries/instants";
import { listProductionStates } from "@/db/queries/slots";
import { BASELINE_VERSION } from "@/lib/engine/baseline";
import { readBaselineSettings } from "./baseline-settings";
import { dueCandles } from "./due-candles";
import { findTrainedModel } from "./find-trained-model";
import { forecastWithModel } from "./forecast-with-model";
import { prepareDueRanges } from "./make-due-ranges";
import { produceSignals } from "./produce-signals";

/**
 * Records the signals of the candles that closed since the newest signal of their slot, for every slot whose champion
 * is the baseline or was trained here. Those missed in a downtime are recorded as well, marked as made after the fact.
 * The operator's pipeline makes the signals of a champion that the operator registered. The range of a candle is
 * recorded in the transaction of its signal, so that what waits for signals wakes once.
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
  const settings = await readBaselineSettings(database);
  let recorded = 0;
  const rangesOf = await prepareDueRanges(database, now);
  for (const { slot, range } of due) {
    if (signal.aborted) break;
    const isBaseline = slot.modelV === BASELINE_VERSION;
    const trained = isBaseline ? null : await findTrainedModel(database, slot.slotId, slot.modelV);
    if (!isBaseline && trained === null) continue;
    const alongside = await rangesOf(slot.slotId);
    recorded +=
      trained === null
        ? await produceSignals(database, slot, { ...range, alongside }, settings)
        : await forecastWithModel(database, slot, { ...range, alongside }, trained);
  }
  return recorded;
}
