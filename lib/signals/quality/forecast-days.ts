import type { DayOfForecasts, ForecastSum } from "@/db/queries/track-record";
import { type ForecastTally, joinForecasts, tallyForecasts } from "@/lib/engine/scores/forecast-tally";
import { type IndependentChain, independentChain, joinChains } from "@/lib/engine/scores/independent-chain";
import { readChain, readTally, writeChain, writeTally } from "./tally-bytes";

/** Forecasts of one slot and model over a stretch of time. */
export interface ForecastStretch {
  slotId: number;
  modelV: string;
  /** Its first UTC date. */
  day: string;
  earliestClose: Date;
  tally: ForecastTally;
  /** Independent results of followed signals, by the close of their candles. */
  chain: IndependentChain;
}

/** Sums of a day in their stored form. */
export const sumOfDay = (day: DayOfForecasts): ForecastSum => sumOfStretch(stretchOfDay(day));

/** Sums of a slot's month, from those of its days. */
export const sumsOfMonth = (day: string, days: readonly ForecastSum[]): ForecastSum[] =>
  joinStretches(days.map(stretchOfSum)).map((stretch) => sumOfStretch({ ...stretch, day }));

const sumOfStretch = ({ tally, chain, ...of }: ForecastStretch): ForecastSum => ({
  ...of,
  tally: writeTally(tally),
  chain: writeChain(chain),
});

export const stretchOfSum = ({ tally, chain, ...of }: ForecastSum): ForecastStretch => ({
  ...of,
  tally: readTally(tally),
  chain: readChain(chain),
});

export const stretchOfDay = ({ probs, labels, results, ...of }: DayOfForecasts): ForecastStretch => ({
  ...of,
  tally: tallyForecasts(probs, labels),
  chain: independentChain(results),
});

/** Joins stretches that do not overlap into one per slot and model. */
export function joinStretches(stretches: readonly ForecastStretch[]): ForecastStretch[] {
  const joined = new Map<string, ForecastStretch>();
  for (const next of stretches.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    const key = `${next.slotId}/${next.modelV}`;
    const held = joined.get(key);
    joined.set(
      key,
      held === undefined
        ? next
        : {
            ...held,
            tally: joinForecasts(held.tally, next.tally),
            chain: joinChains(held.chain, next.chain),
          },
    );
  }
  return [...joined.values()];
}
