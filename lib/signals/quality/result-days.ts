import type { DayOfResults, ResultSum } from "@/db/queries/track-record";
import { EMPTY_RESULT_TALLY, joinResultTallies, tallyResult } from "@/lib/engine/scores/result-tally";

/** Sums up a day's results in the order in which they ended. */
export function sumOfResults({ slotId, modelV, day, earliestClose, resultR, buyR, sellR }: DayOfResults) {
  let tally = EMPTY_RESULT_TALLY;
  resultR.forEach((r, i) => {
    tally = joinResultTallies(tally, tallyResult({ resultR: r, buyR: buyR[i] ?? 0, sellR: sellR[i] ?? 0 }));
  });
  return { slotId, modelV, day, earliestClose, ...tally };
}

/**
 * Joins result sums, whose periods must not overlap, into one per slot and model. Each joined sum has the day of its
 * earliest period.
 */
export function joinResultSums(sums: readonly ResultSum[]): ResultSum[] {
  const joined = new Map<string, ResultSum>();
  for (const sum of sums.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    const key = `${sum.slotId}/${sum.modelV}`;
    const held = joined.get(key);
    joined.set(key, held === undefined ? sum : { ...held, ...joinResultTallies(held, sum) });
  }
  return [...joined.values()];
}
