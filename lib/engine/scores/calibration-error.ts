import { elementOrNaN } from "@/lib/engine/column";

export interface CalibrationBin {
  lo: number;
  hi: number;
  n: number;
  /** Mean probability of the forecast class in this bin; null when the bin is empty. */
  avgConfidence: number | null;
  /** Share of forecasts in this bin that came true; null when the bin is empty. */
  hitRate: number | null;
}

export interface CalibrationMeasurement {
  n: number;
  /** Sum over bins of n(bin)/n x |hit rate - mean confidence|; null without forecasts. */
  ece: number | null;
  accuracy: number | null;
  avgConfidence: number | null;
  /** Every bin, empty ones too, from 0 to 1. */
  bins: CalibrationBin[];
}

/**
 * Expected calibration error of the top class: equal-width bins over 0..1 of the highest probability, weighted by n.
 *
 * The forecast is the class of highest probability (ties: BUY, SELL, NO_TRADE); bin = min(floor(p x nBins), nBins - 1).
 *
 * @param probs n x 3, row by row; @param labels n class numbers 0..2
 * @see Naeini, Cooper, Hauskrecht, Obtaining Well Calibrated Probabilities Using Bayesian Binning, AAAI 2015
 */
export function measureCalibration(
  probs: Float64Array,
  labels: ArrayLike<number>,
  nBins = 10,
): CalibrationMeasurement {
  const n = labels.length;
  if (probs.length !== 3 * n) throw new RangeError("expected three probabilities per label");
  if (!Number.isInteger(nBins) || nBins < 1) throw new RangeError("the number of bins is a positive integer");

  const tallies = Array.from({ length: nBins }, () => ({ n: 0, confidence: 0, hits: 0 }));
  for (let i = 0; i < n; i++) {
    const top = topClass(probs, 3 * i);
    const confidence = elementOrNaN(probs, 3 * i + top);
    const tally = tallies[Math.min(Math.floor(confidence * nBins), nBins - 1)];
    if (tally === undefined) throw new RangeError("probabilities lie in 0..1");
    tally.n++;
    tally.confidence += confidence;
    if (labels[i] === top) tally.hits++;
  }

  const total = (of: (tally: { n: number; confidence: number; hits: number }) => number) =>
    tallies.reduce((sum, tally) => sum + of(tally), 0);
  return {
    n,
    ece: n === 0 ? null : total((t) => Math.abs(t.hits - t.confidence)) / n,
    accuracy: n === 0 ? null : total((t) => t.hits) / n,
    avgConfidence: n === 0 ? null : total((t) => t.confidence) / n,
    bins: tallies.map((tally, i) => ({
      lo: i / nBins,
      hi: (i + 1) / nBins,
      n: tally.n,
      avgConfidence: tally.n === 0 ? null : tally.confidence / tally.n,
      hitRate: tally.n === 0 ? null : tally.hits / tally.n,
    })),
  };
}

/** Class of highest probability of the triple that starts at `offset`; ties go to BUY, then SELL. */
export function topClass(probs: Float64Array, offset: number): 0 | 1 | 2 {
  const [buy, sell, no] = [
    elementOrNaN(probs, offset),
    elementOrNaN(probs, offset + 1),
    elementOrNaN(probs, offset + 2),
  ];
  if (buy >= sell && buy >= no) return 0;
  return sell >= no ? 1 : 2;
}
