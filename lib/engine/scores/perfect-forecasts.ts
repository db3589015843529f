import { elementOrNaN } from "@/lib/engine/column";
import { uniformSource } from "@/lib/engine/random";
import { topClass } from "./calibration-error";

/** Scores of simulated perfect forecasts: one value per run, each array sorted by itself. */
export interface PerfectForecastScores {
  /** Expected calibration error of each run, ascending. */
  ece: Float64Array;
  /** Mean Brier term less that of the baseline of each run, ascending. */
  brierExcess: Float64Array;
}

/**
 * Simulates the scores of perfect forecasts: each class is drawn with the probabilities of its forecast and scored like
 * the real classes. It shows what is noise for this n and these probabilities.
 *
 * Neighbouring candles share most of their horizon, so all candles of a block of `blockCandles` share one draw: blocks
 * are as independent as horizons.
 *
 * @param probs n x 3, row by row, in order of time
 * @param baseline n x 3, the forecasts to compare with
 */
export function simulatePerfectForecasts(
  probs: Float64Array,
  baseline: Float64Array,
  options: { nBins: number; blockCandles: number; runs: number; seed: number },
): PerfectForecastScores {
  if (baseline.length !== probs.length) throw new RangeError("expected one baseline per forecast");
  const { nBins, blockCandles, runs } = options;
  const n = probs.length / 3;
  /** Per forecast: a draw below the first limit is BUY, below the second SELL. */
  const limits = new Float64Array(2 * n);
  /** Per forecast and class: the bin that gets a hit if this class is the outcome; one past the last bin for none. */
  const hitBin = new Float64Array(3 * n).fill(nBins);
  const confidence = new Float64Array(nBins);
  /** Per forecast and class: the Brier term minus the baseline's, if this class is the outcome. */
  const excess = new Float64Array(3 * n);
  for (let i = 0; i < n; i++) {
    const best = topClass(probs, 3 * i);
    const value = elementOrNaN(probs, 3 * i + best);
    const ownBin = Math.min(Math.floor(value * nBins), nBins - 1);
    hitBin[3 * i + best] = ownBin;
    limits[2 * i] = elementOrNaN(probs, 3 * i);
    limits[2 * i + 1] = elementOrNaN(probs, 3 * i) + elementOrNaN(probs, 3 * i + 1);
    confidence[ownBin] = elementOrNaN(confidence, ownBin) + value;
    let squares = 0;
    for (let k = 0; k < 3; k++)
      squares += elementOrNaN(probs, 3 * i + k) ** 2 - elementOrNaN(baseline, 3 * i + k) ** 2;
    for (let k = 0; k < 3; k++) {
      excess[3 * i + k] = squares - 2 * (elementOrNaN(probs, 3 * i + k) - elementOrNaN(baseline, 3 * i + k));
    }
  }

  const uniform = uniformSource(options.seed);
  const ece = new Float64Array(runs);
  const brierExcess = new Float64Array(runs);
  const hits = new Float64Array(nBins + 1);
  for (let run = 0; run < runs; run++) {
    hits.fill(0);
    let excessSum = 0;
    for (let from = 0; from < n; from += blockCandles) {
      const draw = uniform();
      const to = Math.min(n, from + blockCandles);
      for (let i = from; i < to; i++) {
        const label = draw < elementOrNaN(limits, 2 * i) ? 0 : draw < elementOrNaN(limits, 2 * i + 1) ? 1 : 2;
        const place = elementOrNaN(hitBin, 3 * i + label);
        hits[place] = elementOrNaN(hits, place) + 1;
        excessSum += elementOrNaN(excess, 3 * i + label);
      }
    }
    ece[run] =
      hits.subarray(0, nBins).reduce((sum, h, b) => sum + Math.abs(h - elementOrNaN(confidence, b)), 0) /
      Math.max(1, n);
    brierExcess[run] = excessSum / Math.max(1, n);
  }
  return { ece: ece.sort(), brierExcess: brierExcess.sort() };
}
