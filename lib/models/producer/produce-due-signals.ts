import type { Database } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { listBesideStates, listProductionStates, type ProductionState } from "@/db/queries/slots";
import { BASELINE_VERSION, FORMER_BASELINES } from "@/lib/engine/baseline";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import { CAUTION } from "@/lib/settings/caution";
import { settingInForce } from "@/lib/settings/registry";
import { dueCandles } from "./due-candles";
import { findTrainedModel } from "./find-trained-model";
import { forecastWithModel } from "./forecast-with-model";
import { prepareDueRanges } from "./make-due-ranges";
import { produceSignals } from "./produce-signals";
import { registerBaseline } from "./register-baseline";

/** While one slot is computed and recorded, the next ones are read; beyond three nothing is gained. */
const SLOTS_AT_ONCE = 3;

/**
 * Records the signals of the candles that closed since the newest signal of their slot, for every slot whose champion
 * is the baseline or was trained here. Those missed in a downtime are recorded as well, marked as made after the fact.
 * The operator's pipeline makes the signals of a champion that the operator registered; where the operator chose both, the
 * newest built-in model's are kept beside them. The range of a candle is
 * recorded in the transaction of its signal, so that what waits for signals wakes once.
 *
 * @returns how many were recorded
 */
export async function produceDueSignals(database: Database, signal: AbortSignal): Promise<number> {
  const states = [...(await readStates(database)), ...(await readBesideStates(database))];
  if (states.length === 0) return 0;
  const now = await readClock(database);
  const due = states.flatMap((slot) => {
    const candles = dueCandles(slot, now);
    return candles === null ? [] : [{ slot, range: { ...candles, now } }];
  });
  if (due.length === 0) return 0;
  const caution = CAUTION[(await settingInForce(database, "baseline")).caution];
  const rangesOf = await prepareDueRanges(database, now);
  let recorded = 0;
  await eachOf(due, SLOTS_AT_ONCE, async ({ slot, range }) => {
    if (signal.aborted) return;
    const isBaseline = slot.modelV === BASELINE_VERSION;
    const trained = isBaseline ? null : await findTrainedModel(database, slot.slotId, slot.modelV);
    if (!isBaseline && trained === null) return;
    const alongside = slot.beside === true ? undefined : await rangesOf(slot.slotId);
    const made =
      trained === null
        ? await produceSignals(database, slot, { ...range, alongside }, caution)
        : await forecastWithModel(database, slot, { ...range, alongside }, trained);
    recorded += made;
  });
  return recorded;
}

/** The slots with a champion. A baseline of an earlier release is replaced first. */
async function readStates(database: Database): Promise<ProductionState[]> {
  const states = await listProductionStates(database);
  const former = states.filter(({ modelV }) => FORMER_BASELINES.includes(modelV));
  if (former.length === 0) return states;
  await registerBaseline(
    database,
    former.map(({ slotId }) => slotId),
    await readClock(database),
  );
  return listProductionStates(database);
}

/** The slots whose built-in model forecasts beside an own one; none while built-in models are switched off. */
async function readBesideStates(database: Database): Promise<ProductionState[]> {
  const states = await listBesideStates(database);
  if (states.length === 0) return states;
  return (await settingInForce(database, "built_in_models")).enabled ? states : [];
}

/**
 * Does the work for each item, for so many at once. One that fails ends none of the others, unless the database is away;
 * when all are done, the first failure is thrown.
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
