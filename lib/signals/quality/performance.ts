import type { z } from "zod";
import { countSignalsByModel } from "@/db/queries/signal-days";
import type { Scope } from "@/lib/access/plans";
import { EMPTY_INDEPENDENT_CHAIN } from "@/lib/engine/scores/independent-chain";
import { EMPTY_RESULT_TALLY } from "@/lib/engine/scores/result-tally";
import { compareSlots } from "@/lib/market/slot-order";
import type { ExpiringValue } from "@/lib/runtime/window-cache";
import { addDays } from "@/lib/time";
import type { Performance } from "@/lib/wire/contracts/quality";
import { readInOneSnapshot } from "./read-in-one-snapshot";
import { readForecastSums, readResultSums, withUnsummedSignals } from "./read-sums";
import { trackRecordOf } from "./track-record";

/**
 * Track records of the slots in scope over the last days, by symbol, timeframe and model. Valid until the oldest signal
 * leaves the window, or a signal or an outcome changes them.
 */
export async function readPerformance(
  scope: Scope,
  { days }: { days: number },
  now: Date,
): Promise<ExpiringValue<z.output<typeof Performance>>> {
  const window = { scope, since: addDays(now, -days) };
  const read = await readInOneSnapshot({
    counts: async (tx) => countSignalsByModel(tx, await withUnsummedSignals(tx, window)),
    results: (tx) => readResultSums(tx, window),
    forecasts: (tx) => readForecastSums(tx, window),
  });
  const { counts } = read;
  const results = new Map(read.results.map((sum) => [keyOf(sum), sum]));
  const chains = new Map(read.forecasts.map((stretch) => [keyOf(stretch), stretch.chain]));
  const items = counts
    .toSorted((a, b) => compareSlots(a, b) || (a.modelV < b.modelV ? -1 : 1))
    .map((count) =>
      trackRecordOf(count, {
        results: results.get(keyOf(count)) ?? EMPTY_RESULT_TALLY,
        chain: chains.get(keyOf(count)) ?? EMPTY_INDEPENDENT_CHAIN,
      }),
    );
  const earliest = Math.min(...counts.map(({ earliestClose }) => earliestClose.getTime()));
  return {
    value: { days, count: items.length, items },
    validUntil: counts.length === 0 ? null : addDays(new Date(earliest), days),
  };
}

function keyOf({ slotId, modelV }: { slotId: number; modelV: string }): string {
  return `${slotId}/${modelV}`;
}
