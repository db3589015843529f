import { softmaxInPlace } from "@/lib/engine/models/softmax";
import { fitScale } from "./fit-scale";

/**
 * Temperature scaling: p' = softmax(log p / T); T > 1 softens. Used only for comparison.
 *
 * @returns the T in [0.05, 20] of lowest mean log-loss
 * @see Guo, Pleiss, Sun, Weinberger, On Calibration of Modern Neural Networks, ICML 2017
 */
export function fitTemperature(probs: Float64Array, labels: ArrayLike<number>): number {
  return 1 / fitScale([0, 0, 0], probs.map(safeLog), labels, { low: 1 / 20, high: 20 });
}

/** Copies of n x 3 probabilities, scaled by a temperature: softmax(log p / T). */
export function applyTemperature(temperature: number, probs: Float64Array): Float64Array {
  const scaled = probs.map((p) => safeLog(p) / temperature);
  for (let i = 0; i < scaled.length; i += 3) softmaxInPlace(scaled, i, 3);
  return scaled;
}

/** Treats a probability of 0 as 1e-12. */
function safeLog(p: number): number {
  return Math.log(Math.max(p, 1e-12));
}
