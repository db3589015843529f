import type { Transaction } from "@/db/client";
import type { DayRevision } from "@/db/queries/dirty-days";
import {
  listUnsummedSignalDays,
  listUnsummedSignals,
  type SignalWindow,
  type SummedSignalDay,
  type SummedSignalWindow,
} from "@/db/queries/signal-days";
import {
  listForecastSumRevisions,
  listForecastSums,
  listResultSumRevisions,
  listResultSums,
  listUnsummedForecastDays,
  listUnsummedForecasts,
  listUnsummedResultDays,
  listUnsummedResults,
  type ResultSum,
  type SumRevision,
  type TrackWindow,
} from "@/db/queries/track-record";
import { cachedSums } from "./cached-sums";
import { decodeSum, type ForecastPeriodTally, joinPeriodTallies, tallyForecastDay } from "./forecast-days";
import { joinResultSums, sumOfResults } from "./result-days";

const slotOf = ({ slotId }: { slotId: number }) => String(slotId);
const dayOf = ({ slotId, day }: { slotId: number; day: string }) => `${slotId}/${day}`;

/** A window with the sums of those days of it that stored sums do not cover, from which its signals are summed. */
export async function withUnsummedSignals(
  tx: Transaction,
  window: SignalWindow,
): Promise<SummedSignalWindow> {
  const { scope, since } = window;
  const unsummed = await cachedSums<DayRevision, SummedSignalDay>(
    "signal-parts",
    await listUnsummedSignalDays(tx, window),
    { partOf: dayOf, read: (days) => listUnsummedSignals(tx, { days, since }) },
  );
  return { scope, since, unsummed };
}

/** Sums of the forecasts in a window that have an outcome, by slot and model. */
export const readForecastSums = async (
  tx: Transaction,
  window: TrackWindow,
): Promise<ForecastPeriodTally[]> => (await readForecastSumsAndRevisions(tx, window)).sums;

/**
 * Like `readForecastSums`, with a text for each slot in scope that changes whenever one of its forecasts in the window gets
 * an outcome, enters the window or leaves it.
 */
export async function readForecastSumsAndRevisions(
  tx: Transaction,
  window: TrackWindow,
): Promise<{ sums: ForecastPeriodTally[]; revisions: ReadonlyMap<number, string> }> {
  const { since } = window;
  const summed = await listForecastSumRevisions(tx, window);
  const whole = await cachedSums("forecasts", summed, {
    partOf: slotOf,
    read: async (missing) =>
      joinedUnlessParted(
        missing,
        (await listForecastSums(tx, { slotIds: missing.map(({ slotId }) => slotId), since })).map(decodeSum),
        joinPeriodTallies,
      ),
  });
  const unsummed = await listUnsummedForecastDays(tx, window);
  const parts = await cachedSums("forecast-parts", unsummed, {
    partOf: dayOf,
    read: async (days) => (await listUnsummedForecasts(tx, { days, since })).map(tallyForecastDay),
  });
  const revisions = new Map(summed.map(({ slotId, revision }) => [slotId, revision]));
  for (const { slotId, day, revision } of unsummed.toSorted((a, b) => (a.day < b.day ? -1 : 1)))
    revisions.set(slotId, `${revisions.get(slotId) ?? ""} ${day}/${revision}`);
  return { sums: joinPeriodTallies([...whole, ...parts]), revisions };
}

/** Sums of the results of the signals in a window, by slot and model. */
export async function readResultSums(tx: Transaction, window: TrackWindow): Promise<ResultSum[]> {
  const { since } = window;
  const revisions = await listResultSumRevisions(tx, window);
  const whole = await cachedSums("results", revisions, {
    partOf: slotOf,
    read: async (missing) =>
      joinedUnlessParted(
        missing,
        await listResultSums(tx, { slotIds: missing.map(({ slotId }) => slotId), since }),
        joinResultSums,
      ),
  });
  const parts = await cachedSums<DayRevision, ResultSum>(
    "result-parts",
    await listUnsummedResultDays(tx, window),
    {
      partOf: dayOf,
      read: async (days) => (await listUnsummedResults(tx, { days, since })).map(sumOfResults),
    },
  );
  return joinResultSums([...whole, ...parts]);
}

/**
 * Joins the sums of each slot. If a day without sums lies between summed days, the slot's sums stay separate, because
 * they must be joined with that day in order of time.
 */
function joinedUnlessParted<S extends { slotId: number }>(
  revisions: readonly SumRevision[],
  sums: readonly S[],
  join: (sums: readonly S[]) => S[],
): S[] {
  const parted = new Set(revisions.flatMap(({ slotId, isParted }) => (isParted ? [slotId] : [])));
  return [
    ...join(sums.filter(({ slotId }) => !parted.has(slotId))),
    ...sums.filter(({ slotId }) => parted.has(slotId)),
  ];
}
