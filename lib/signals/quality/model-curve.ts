import type { SlotName } from "@/db/queries/slots";
import { listResultSums, listResultsOutsideSums } from "@/db/queries/track-record";
import { runningTotal } from "@/lib/engine/chart/running-total";
import type { CurvePoint } from "@/lib/engine/chart/thin-curve";
import { addDays, DAY_MS } from "@/lib/time";
import { atOneMoment } from "./at-one-moment";
import { sumOfResults } from "./result-days";

/**
 * What one model of a slot has made in R, summed up to the end of each UTC day on which a signal of the last `days` ended; the
 * last point is of now. By day, because the signals of a slot on M1 are 130,000 in 90 days.
 */
export async function readModelCurve(
  { symbol, timeframe, modelV }: SlotName & { modelV: string },
  { days }: { days: number },
  now: Date,
): Promise<CurvePoint[]> {
  const window = { scope: { symbols: [symbol], timeframes: [timeframe] }, since: addDays(now, -days) };
  const { sums, rows } = await atOneMoment({
    sums: (tx) => listResultSums(tx, window),
    rows: (tx) => listResultsOutsideSums(tx, window),
  });
  const results = [...sums, ...rows.map(sumOfResults)]
    .filter((sum) => sum.modelV === modelV)
    .toSorted((a, b) => (a.day < b.day ? -1 : 1))
    .map(({ day, totalR }) => ({
      endedAt: new Date(Math.min(now.getTime(), Date.parse(day) + DAY_MS)),
      resultR: totalR,
    }));
  return runningTotal(results);
}
