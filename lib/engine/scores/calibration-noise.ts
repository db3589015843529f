import { simulatePerfectForecasts } from "./perfect-forecasts";

/**
 * 95 % quantile of the expected calibration error that perfect forecasts with these probabilities have by chance, over
 * simulated classes.
 *
 * @param probs n x 3, row by row, in order of time
 * @param options as of {@link simulatePerfectForecasts}
 */
export function calibrationNoise(
  probs: Float64Array,
  options: { nBins: number; blockCandles: number; runs: number; seed: number },
): number {
  const { ece } = simulatePerfectForecasts(probs, probs, options);
  return ece[Math.min(ece.length - 1, Math.floor(0.95 * ece.length))] ?? 0;
}
