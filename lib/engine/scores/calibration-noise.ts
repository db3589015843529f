import { at } from "@/lib/engine/column";
import { uniformSource } from "@/lib/engine/random";
import { expectedCalibrationError } from "./calibration-error";

/**
 * The calibration error that perfect forecasts would show by chance: its 95 % quantile over simulated classes.
 *
 * Each class is drawn with the probabilities of its own forecast. Neighbouring candles share most of their horizon, so
 * each block of `blockCandles` shares one draw: the blocks are as independent as the horizons are.
 *
 * @param probs n x 3, row by row, in order of time
 */
export function calibrationNoise(
  probs: Float64Array,
  options: { nBins: number; blockCandles: number; runs: number; seed: number },
): number {
  const n = probs.length / 3;
  const uniform = uniformSource(options.seed);
  const errors: number[] = [];
  const labels = new Int8Array(n);
  for (let run = 0; run < options.runs; run++) {
    let draw = 0;
    for (let i = 0; i < n; i++) {
      if (i % options.blockCandles === 0) draw = uniform();
      const buy = at(probs, 3 * i);
      labels[i] = draw < buy ? 0 : draw < buy + at(probs, 3 * i + 1) ? 1 : 2;
    }
    errors.push(expectedCalibrationError(probs, labels, options.nBins).ece ?? 0);
  }
  errors.sort((a, b) => a - b);
  return errors[Math.min(errors.length - 1, Math.floor(0.95 * errors.length))] ?? 0;
}
