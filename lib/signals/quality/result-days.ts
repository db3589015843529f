import type { DayOfResults, ResultSum } from "@/db/queries/track-record";
import { joinResults, NO_RESULTS, tallyResult } from "@/lib/engine/scores/result-tally";

/** Sums up the results of a day, in the order in which they ended. Pure. */
export function sumOfResults({ slotId, modelV, day, earliestClose, resultR, buyR, sellR }: DayOfResults) {
  let tally = NO_RESULTS;
  resultR.forEach((r, i) => {
    tally = joinResults(tally, tallyResult({ resultR: r, buyR: buyR[i] ?? 0, sellR: sellR[i] ?? 0 }));
  });
  return { slotId, modelV, day, earliestClose, ...tally };
}

/** The results of each slot and model, of sums of stretches that do not overlap; each has the day of its first. Pure. */
export function joinResultSums(sums: readonly ResultSum[]): ResultSum[] {
  const joined = new Map<string, ResultSum>();
  for (const sum of sums.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    const key = `${sum.slotId}/${sum.modelV}`;
    const held = joined.get(key);
    joined.set(key, held === undefined ? sum : { ...held, ...joinResults(held, sum) });
  }
  return [...joined.values()];
}
