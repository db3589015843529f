import { elementOrNaN } from "@/lib/engine/column";
import { softmaxInPlace } from "@/lib/engine/models/softmax";
import { fitScale } from "./fit-scale";

/** One number per class: BUY, SELL, NO_TRADE. */
type Triple = [number, number, number];

/**
 * Anchored calibration: p' = softmax(log target + s (log p - log source)).
 *
 * `source` stands for the mean forecast, `target` for the observed class frequencies. s = 0 gives the target, s = 1
 * keeps each forecast's full deviation from the mean. Temperature scaling shrinks towards a third each instead, which
 * hurts where a class is rare.
 */
export interface AnchoredCalibration {
  target: Triple;
  source: Triple;
  s: number;
}

/** Calibration that changes nothing. */
export const IDENTITY_CALIBRATION: Readonly<AnchoredCalibration> = {
  target: [1 / 3, 1 / 3, 1 / 3],
  source: [1 / 3, 1 / 3, 1 / 3],
  s: 1,
};

/**
 * Fits the s in [0, 1] of lowest mean log-loss for a given target and source.
 *
 * @param probs n x 3 out-of-sample forecasts, row by row; @param labels the class of each outcome, 0..2
 * @returns the anchors with this s
 */
export function fitAnchoredStrength(
  probs: Float64Array,
  labels: ArrayLike<number>,
  anchors: { target: Triple; source: Triple },
): AnchoredCalibration {
  const logSource = anchors.source.map(Math.log);
  const directions = probs.map((p, i) => safeLog(p) - (logSource[i % 3] ?? 0));
  const s = fitScale(anchors.target.map(Math.log), directions, labels, { low: 0, high: 1 });
  return { ...anchors, s };
}

/**
 * Fits target (the observed class frequencies), source (the mean forecast) and s (the share of a forecast's deviation
 * that is kept). In target and source, BUY and SELL get the mean of the two: a direction that was more frequent lately is
 * a past trend and no forecast.
 *
 * @returns the identity for an empty sample
 */
export function fitAnchoredCalibration(probs: Float64Array, labels: ArrayLike<number>): AnchoredCalibration {
  const n = labels.length;
  if (n === 0) return { ...IDENTITY_CALIBRATION };
  let quiet = 0;
  let quietForecast = 0;
  for (let i = 0; i < n; i++) {
    if (labels[i] === 2) quiet++;
    quietForecast += elementOrNaN(probs, 3 * i + 2);
  }
  // Half a candle with NO_TRADE and half a candle with a direction keep the logarithms finite.
  return fitAnchoredStrength(probs, labels, {
    target: symmetricTriple((quiet + 0.5) / (n + 1)),
    source: symmetricTriple((quietForecast + 0.5) / (n + 1)),
  });
}

/** Calibrated copies of n x 3 probabilities. */
export function applyAnchoredCalibration(
  calibration: AnchoredCalibration,
  probs: Float64Array,
): Float64Array {
  const { target, source, s } = calibration;
  const shift = target.map((t, k) => Math.log(t) - s * Math.log(source[k] ?? 1));
  const calibrated = new Float64Array(probs.length);
  for (let i = 0; i < probs.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      calibrated[i + k] = (shift[k] ?? 0) + s * safeLog(elementOrNaN(probs, i + k));
    }
    softmaxInPlace(calibrated, i, 3);
  }
  return calibrated;
}

/** Treats a probability of 0 as 1e-12. */
function safeLog(p: number): number {
  return Math.log(Math.max(p, 1e-12));
}

function symmetricTriple(noTrade: number): Triple {
  return [(1 - noTrade) / 2, (1 - noTrade) / 2, noTrade];
}
