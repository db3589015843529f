import type { DayOfForecasts, ForecastSum } from "@/db/queries/track-record";
import { type ForecastTally, joinForecastTallies, tallyForecasts } from "@/lib/engine/scores/forecast-tally";
import {
  type IndependentChain,
  independentChain,
  joinIndependentChains,
} from "@/lib/engine/scores/independent-chain";
import { decodeChain, decodeTally, encodeChain, encodeTally } from "./tally-bytes";

/** Sums of the forecasts of one slot and model over a period of time. */
export interface ForecastPeriodTally {
  slotId: number;
  modelV: string;
  /** First UTC date of the period. */
  day: string;
  earliestClose: Date;
  tally: ForecastTally;
  /** Counts the results of followed signals that do not overlap, in order of their candles' closes. */
  chain: IndependentChain;
}

/** Sums of the forecasts of one day, slot and model, in the form in which they are stored. */
export const encodedSumOfDay = (day: DayOfForecasts): ForecastSum => encodeSum(tallyForecastDay(day));

/** Sums of a month by slot and model, from the sums of its days. `day`: the first date of the month. */
export const encodedSumsOfMonth = (day: string, days: readonly ForecastSum[]): ForecastSum[] =>
  joinPeriodTallies(days.map(decodeSum)).map((period) => encodeSum({ ...period, day }));

const encodeSum = ({ tally, chain, ...of }: ForecastPeriodTally): ForecastSum => ({
  ...of,
  tally: encodeTally(tally),
  chain: encodeChain(chain),
});

export const decodeSum = ({ tally, chain, ...of }: ForecastSum): ForecastPeriodTally => ({
  ...of,
  tally: decodeTally(tally),
  chain: decodeChain(chain),
});

export const tallyForecastDay = ({ probs, labels, results, ...of }: DayOfForecasts): ForecastPeriodTally => ({
  ...of,
  tally: tallyForecasts(probs, labels),
  chain: independentChain(results),
});

/** Joins periods that do not overlap into one per slot and model. */
export function joinPeriodTallies(periods: readonly ForecastPeriodTally[]): ForecastPeriodTally[] {
  const joined = new Map<string, ForecastPeriodTally>();
  for (const next of periods.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    const key = `${next.slotId}/${next.modelV}`;
    const held = joined.get(key);
    joined.set(
      key,
      held === undefined
        ? next
        : {
            ...held,
            tally: joinForecastTallies(held.tally, next.tally),
            chain: joinIndependentChains(held.chain, next.chain),
          },
    );
  }
  return [...joined.values()];
}
