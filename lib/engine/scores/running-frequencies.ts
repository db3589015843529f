import { elementOrNaN } from "@/lib/engine/column";
import { OUTCOME_RULE } from "@/lib/engine/outcome";

const { horizonCandles } = OUTCOME_RULE;
/**
 * Weight, in candles, of the prior (a third for each class): three horizons, because the labels of one horizon overlap
 * and together count as little more than one.
 */
const THIRDS_CANDLES = 3 * horizonCandles;

/**
 * Class frequencies that are known at each candle: those of the labels at least `horizonCandles` places before it,
 * whose horizon has closed by then, shrunk towards a third each.
 *
 * @param labels class numbers 0..2 by time of the candle; candles may be missing
 * @returns n x 3 in the order BUY, SELL, NO_TRADE
 */
export function runningFrequencies(labels: ArrayLike<number>): Float64Array {
  const n = labels.length;
  const frequencies = new Float64Array(3 * n);
  const counts = new Float64Array(3).fill(THIRDS_CANDLES / 3);
  let total = THIRDS_CANDLES;
  for (let i = 0; i < n; i++) {
    const over = i - horizonCandles;
    if (over >= 0) {
      const label = labels[over] ?? 0;
      counts[label] = elementOrNaN(counts, label) + 1;
      total++;
    }
    for (let k = 0; k < 3; k++) frequencies[3 * i + k] = elementOrNaN(counts, k) / total;
  }
  return frequencies;
}
