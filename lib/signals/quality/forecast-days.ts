import type {
  ChainSum,
  DayOfForecasts,
  DayOfIntervals,
  ForecastSum,
  TallySum,
} from "@/db/queries/track-record";
import { type ForecastTally, joinForecasts, tallyForecasts } from "@/lib/engine/scores/forecast-tally";
import { type IndependentChain, independentChain, joinChains } from "@/lib/engine/scores/independent-chain";
import { readChain, readTally, writeChain, writeTally } from "./tally-bytes";

/** A stretch of time of one slot and model. */
interface Stretch<T> {
  slotId: number;
  modelV: string;
  /** Its first UTC date. */
  day: string;
  earliestClose: Date;
  kept: T;
}
export type ForecastStretch = Stretch<ForecastTally>;
/** The independent ones among the results of followed signals, by the close of their candles. */
export type ChainStretch = Omit<Stretch<IndependentChain>, "earliestClose">;

/** The sums of a day, as they are stored. Pure. */
export function sumOfDay({ probs, labels, results, ...of }: DayOfForecasts): ForecastSum {
  const tally = writeTally(tallyForecasts(probs, labels));
  return { ...of, tally, chain: writeChain(independentChain(results)) };
}

/** The sums of a slot's month from those of its days. Pure. */
export function sumsOfMonth(day: string, days: readonly ForecastSum[]): ForecastSum[] {
  const chains = joinStretches(days.map(stretchOfChain), joinChains);
  return joinStretches(days.map(stretchOfTally), joinForecasts).map((tally, i) => ({
    slotId: tally.slotId,
    modelV: tally.modelV,
    day,
    earliestClose: tally.earliestClose,
    tally: writeTally(tally.kept),
    chain: writeChain(chains[i]?.kept ?? independentChain([])),
  }));
}

const stretchOfTally = ({ slotId, modelV, day, earliestClose, tally }: TallySum): ForecastStretch => ({
  slotId,
  modelV,
  day,
  earliestClose,
  kept: readTally(tally),
});

const stretchOfDay = ({ probs, labels, results, ...of }: DayOfForecasts): ForecastStretch => ({
  ...of,
  kept: tallyForecasts(probs, labels),
});

const stretchOfChain = ({ slotId, modelV, day, chain }: ChainSum): ChainStretch => ({
  slotId,
  modelV,
  day,
  kept: readChain(chain),
});

/** One stretch for each slot and model, of stretches that do not overlap. Pure. */
function joinStretches<T, S extends Pick<Stretch<T>, "slotId" | "modelV" | "day" | "kept">>(
  stretches: readonly S[],
  join: (before: T, after: T) => T,
): S[] {
  const joined = new Map<string, S>();
  for (const next of stretches.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    const key = `${next.slotId}/${next.modelV}`;
    const held = joined.get(key);
    joined.set(key, held === undefined ? next : { ...held, kept: join(held.kept, next.kept) });
  }
  return [...joined.values()];
}

/** The forecasts of whole days by slot and model. Pure. */
export const joinTallies = (sums: readonly TallySum[]): ForecastStretch[] =>
  joinStretches(sums.map(stretchOfTally), joinForecasts);

/** Their independent results. Pure. */
export const joinChainSums = (sums: readonly ChainSum[]): ChainStretch[] =>
  joinStretches(sums.map(stretchOfChain), joinChains);

/** The forecasts of a window by slot and model, of whole days and of those that are in no sum. Pure. */
export function joinedForecasts(
  whole: readonly ForecastStretch[],
  days: readonly DayOfForecasts[],
): ForecastStretch[] {
  return joinStretches([...whole, ...days.map(stretchOfDay)], joinForecasts);
}

/** The independent results of a window, in the same way. Pure. */
export function joinedChains(
  whole: readonly ChainStretch[],
  days: readonly DayOfIntervals[],
): ChainStretch[] {
  const ofDays = days.map(({ results, ...of }) => ({ ...of, kept: independentChain(results) }));
  return joinStretches([...whole, ...ofDays], joinChains);
}
