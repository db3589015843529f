import type { Database } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import {
  listSecondModelStates,
  listSignalProductionStates,
  type SignalProductionState,
} from "@/db/queries/slots";
import { BASELINE_VERSION, FORMER_BASELINE_VERSIONS } from "@/lib/engine/baseline";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import { CAUTION_SETTINGS } from "@/lib/settings/caution";
import { settingInForce } from "@/lib/settings/registry";
import { dueCandleRange } from "./due-candles";
import { findTrainedModel } from "./find-trained-model";
import { recordBaselineSignals } from "./record-baseline-signals";
import { prepareDueForecastRanges } from "./record-due-ranges";
import { recordModelSignals } from "./record-model-signals";
import { makeBaselineChampion } from "./register-baseline";

/**
 * Maximum number of slots processed at once: candles of the next slots are read while one is computed. More than three
 * gain nothing.
 */
const SLOTS_AT_ONCE = 3;

/**
 * Makes and stores the signals of the due candles ({@link dueCandleRange}) of each slot whose champion is the baseline
 * or was trained by this service. An operator's model sends its signals itself; if the operator chose to run both
 * kinds, the newest built-in model is the slot's second model, and its signals are made too. The ranges of a champion's
 * candles are stored in the transaction of its first signals, so that waiting clients wake once.
 *
 * @returns the number of signals stored
 */
export async function produceDueSignals(database: Database, signal: AbortSignal): Promise<number> {
  const states = [...(await readStates(database)), ...(await readSecondModelStates(database))];
  if (states.length === 0) return 0;
  const now = await readClock(database);
  const due = states.flatMap((slot) => {
    const candles = dueCandleRange(slot, now);
    return candles === null ? [] : [{ slot, range: { ...candles, now } }];
  });
  if (due.length === 0) return 0;
  const caution = CAUTION_SETTINGS[(await settingInForce(database, "baseline")).caution];
  const rangesOf = await prepareDueForecastRanges(database, now);
  let recorded = 0;
  await eachOf(due, SLOTS_AT_ONCE, async ({ slot, range }) => {
    if (signal.aborted) return;
    const isBaseline = slot.modelV === BASELINE_VERSION;
    const trained = isBaseline ? null : await findTrainedModel(database, slot.slotId, slot.modelV);
    if (!isBaseline && trained === null) return;
    const alongside = slot.beside === true ? undefined : await rangesOf(slot.slotId);
    const made =
      trained === null
        ? await recordBaselineSignals(database, slot, { ...range, alongside }, caution)
        : await recordModelSignals(database, slot, { ...range, alongside }, trained);
    recorded += made;
  });
  return recorded;
}

/**
 * Replaces champions that are the baseline of an earlier release by the present one, unless built-in models are
 * switched off, and returns the slots with a champion and a settled candle.
 */
async function readStates(database: Database): Promise<SignalProductionState[]> {
  const states = await listSignalProductionStates(database);
  const former = states.filter(({ modelV }) => FORMER_BASELINE_VERSIONS.includes(modelV));
  if (former.length === 0) return states;
  await makeBaselineChampion(
    database,
    former.map(({ slotId }) => slotId),
    await readClock(database),
  );
  return listSignalProductionStates(database);
}

/**
 * The slots whose champion is an operator's model and whose second model is a built-in one; none while built-in models
 * are switched off.
 */
async function readSecondModelStates(database: Database): Promise<SignalProductionState[]> {
  const states = await listSecondModelStates(database);
  if (states.length === 0) return states;
  return (await settingInForce(database, "built_in_models")).enabled ? states : [];
}

/**
 * Runs `work` for each item, for at most `atOnce` items at a time. After a failure the other items are still processed,
 * unless the database is down. Throws the first failure at the end.
 */
async function eachOf<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const left = items.values();
  const workThrough = async () => {
    for (const item of left) {
      if (failures.some(isDatabaseUnavailable)) return;
      await work(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, workThrough));
  if (failures.length > 0) throw failures[0];
}
