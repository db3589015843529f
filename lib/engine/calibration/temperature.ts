import { softmaxInPlace } from "../models/softmax";
import { logLoss3 } from "../scores/log-loss";
import { minimiseOnInterval } from "./minimise";

/**
 * Temperature scaling: p' = softmax(log p / T), T > 1 softens. Kept to be compared with the anchored calibration.
 *
 * @returns the T in [0.05, 20] of lowest mean log-loss
 * @see Guo, Pleiss, Sun, Weinberger, On Calibration of Modern Neural Networks, ICML 2017
 */
export function fitTemperature(probs: Float64Array, labels: ArrayLike<number>): number {
  const lossAt = (logT: number) => logLoss3(applyTemperature(Math.exp(logT), probs), labels) ?? 0;
  return Math.exp(minimiseOnInterval(lossAt, Math.log(0.05), Math.log(20), 1e-7));
}

/** Scaled copies of n x 3 probabilities. */
export function applyTemperature(temperature: number, probs: Float64Array): Float64Array {
  const scaled = probs.map((p) => Math.log(Math.max(p, 1e-12)) / temperature);
  for (let i = 0; i < scaled.length; i += 3) softmaxInPlace(scaled, i, 3);
  return scaled;
}
