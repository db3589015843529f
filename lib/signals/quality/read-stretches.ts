import { db, type Transaction } from "@/db/client";
import {
  listChainSums,
  listForecastsOutsideSums,
  listIntervalsOutsideSums,
  listTallySums,
  type TrackWindow,
} from "@/db/queries/track-record";
import { joinForecasts } from "@/lib/engine/scores/forecast-tally";
import { independentChain, joinChains } from "@/lib/engine/scores/independent-chain";
import {
  type ChainStretch,
  type ForecastStretch,
  joinStretches,
  stretchOfChain,
  stretchOfDay,
  stretchOfTally,
} from "./forecast-days";

/** Forecasts of a window by slot and model: sums where there are, else the rows. `tx` sees one state of both. */
export async function readForecastStretches(
  tx: Transaction,
  window: TrackWindow,
): Promise<ForecastStretch[]> {
  const sums = await listTallySums(tx, window);
  const days = await listForecastsOutsideSums(tx, window);
  return joinStretches([...sums.map(stretchOfTally), ...days.map(stretchOfDay)], joinForecasts);
}

/** The chains of independent results of a window, in the same way. */
export async function readChainStretches(tx: Transaction, window: TrackWindow): Promise<ChainStretch[]> {
  const sums = await listChainSums(tx, window);
  const days = await listIntervalsOutsideSums(tx, window);
  return joinStretches(
    [
      ...sums.map(stretchOfChain),
      ...days.map(({ results, ...of }) => ({ ...of, kept: independentChain(results) })),
    ],
    joinChains,
  );
}

/** Reads sums and rows as of one moment: a day that is summed up meanwhile is neither missed nor counted twice. */
export function atOneMoment<T>(read: (tx: Transaction) => Promise<T>): Promise<T> {
  return db("statistics").transaction(read, { isolationLevel: "repeatable read", accessMode: "read only" });
}
