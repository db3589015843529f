import type { DayOfResults, ResultSum } from "@/db/queries/track-record";
import { joinResults, NO_RESULTS, type ResultTally, tallyResult } from "@/lib/engine/scores/result-tally";

/** Sums up the results of a day, in the order in which they ended. Pure. */
export function sumOfResults({ slotId, modelV, day, earliestClose, resultR, buyR, sellR }: DayOfResults) {
  let tally = NO_RESULTS;
  resultR.forEach((r, i) => {
    tally = joinResults(tally, tallyResult({ resultR: r, buyR: buyR[i] ?? 0, sellR: sellR[i] ?? 0 }));
  });
  return { slotId, modelV, day, earliestClose, ...tally };
}

/** The results of each slot and model, of sums of different days. Pure. */
export function joinResultSums(sums: readonly ResultSum[]): Map<string, ResultTally> {
  const joined = new Map<string, ResultTally>();
  for (const sum of sums.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    const key = `${sum.slotId}/${sum.modelV}`;
    joined.set(key, joinResults(joined.get(key) ?? NO_RESULTS, sum));
  }
  return joined;
}
