import { NO_TRADE } from "@/lib/engine/classes";
import { elementOrNaN } from "@/lib/engine/column";
import { solvePositiveDefinite } from "@/lib/engine/linear-algebra";
import { newYorkTimeOfWeekMs } from "@/lib/market/calendar";
import { DAY_MS, HOUR_MS } from "@/lib/time";

/**
 * Weights of the calibration of p, the probability that the class is not NO_TRADE: logit p' = a + b logit p + c1 sin +
 * c2 cos of the New York time of day at the candle's close, + d from Friday 17:00 to Sunday 17:00 New York, when FX is
 * closed.
 */
export interface OnlineWeights {
  a: number;
  b: number;
  c1: number;
  c2: number;
  d: number;
}

/**
 * Online calibration of the probability that the class is not NO_TRADE, as plain data.
 *
 * What has been learnt is stored as a quadratic log-likelihood in the weights, by `curvature` and `pull`. Both fade
 * with every later forecast, so each day's forecasts are used once and need not be stored.
 */
export interface OnlineCalibration extends OnlineWeights {
  /**
   * Curvature of the log-likelihood, lower triangle row by row: aa, ab, bb, and so on. Empty at first; a state of an
   * earlier release, with a and b alone, has the first three numbers.
   */
  curvature: readonly number[];
  /** Curvature times the most likely weights: five numbers, empty at first, two in a state of an earlier release. */
  pull: readonly number[];
  /** Number of forecasts learnt from. */
  n: number;
}

/** The initial state: forecasts stay unchanged. */
export const UNCALIBRATED_STATE: Readonly<OnlineCalibration> = {
  a: 0,
  b: 1,
  c1: 0,
  c2: 0,
  d: 0,
  curvature: [],
  pull: [],
  n: 0,
};

export interface OnlineSettings {
  /** Number of later forecasts after which a forecast counts half. */
  halfLife: number;
  /** Curvature of the prior on a, b, c1, c2 and d, centred on the weights that change nothing. */
  ridges: readonly number[];
}

export const ONLINE_SETTINGS: Readonly<OnlineSettings> = {
  halfLife: 2000,
  ridges: [100, 100, 300, 300, 100],
};

/** Logits are limited to plus or minus this. */
const LARGEST_LOGIT = 12;
const MAX_STEPS = 20;
const SIZE = 5;

/** A model's P(NO_TRADE) for one candle, with the class of the outcome. */
export interface ResolvedForecast {
  /** P(NO_TRADE) before online calibration. */
  rawNo: number;
  /** Close of its candle, epoch ms. */
  closesMs: number;
  /** Class of the outcome, 0..2. */
  label: number;
}

/**
 * Returns a calibration that includes further forecasts, given in order of time. The weights maximise the age-weighted
 * likelihood times the prior. Newton's method runs on the new forecasts; a quadratic approximates the likelihood of all
 * older ones.
 */
export function updateOnlineCalibration(
  known: OnlineCalibration,
  forecasts: readonly ResolvedForecast[],
  settings: OnlineSettings = ONLINE_SETTINGS,
): OnlineCalibration {
  if (forecasts.length === 0) return known;
  const keep = 0.5 ** (1 / settings.halfLife);
  const faded = keep ** forecasts.length;
  const cases = forecasts.map(({ rawNo, closesMs, label }, i) => ({
    inputs: inputsOf(rawNo, closesMs),
    y: label === NO_TRADE ? 0 : 1,
    weight: keep ** (forecasts.length - 1 - i),
  }));
  let weights = listOf(known);
  for (let step = 0; ; step++) {
    const curvature = Array.from(
      { length: (SIZE * (SIZE + 1)) / 2 },
      (_, k) => faded * (known.curvature[k] ?? 0),
    );
    const pull = Array.from({ length: SIZE }, (_, k) => faded * (known.pull[k] ?? 0));
    for (const { inputs, y, weight } of cases) {
      const z = dot(weights, inputs);
      const p = 1 / (1 + Math.exp(-z));
      const w = weight * p * (1 - p);
      const moved = w * z + weight * (y - p);
      for (let i = 0, cell = 0; i < SIZE; i++) {
        const input = inputs[i] ?? 0;
        pull[i] = (pull[i] ?? 0) + moved * input;
        for (let j = 0; j <= i; j++, cell++)
          curvature[cell] = (curvature[cell] ?? 0) + w * input * (inputs[j] ?? 0);
      }
    }
    const next = mode(curvature, pull, settings.ridges);
    const change = next.reduce((sum, weight, k) => sum + Math.abs(weight - (weights[k] ?? 0)), 0);
    weights = next;
    if (change < 1e-9 || step === MAX_STEPS) {
      const [a = 0, b = 1, c1 = 0, c2 = 0, d = 0] = weights;
      return { a, b, c1, c2, d, curvature, pull, n: known.n + forecasts.length };
    }
  }
}

/** The weights of highest posterior. */
function mode(curvature: readonly number[], pull: readonly number[], ridges: readonly number[]): number[] {
  const matrix = new Float64Array(SIZE * SIZE);
  for (let i = 0, cell = 0; i < SIZE; i++) {
    for (let j = 0; j <= i; j++, cell++) matrix[i * SIZE + j] = curvature[cell] ?? 0;
    matrix[i * SIZE + i] = elementOrNaN(matrix, i * SIZE + i) + (ridges[i] ?? 0);
  }
  const right = Float64Array.from(pull);
  right[1] = elementOrNaN(right, 1) + (ridges[1] ?? 0);
  return [...solvePositiveDefinite(matrix, right)];
}

const listOf = ({ a, b, c1, c2, d }: OnlineWeights): number[] => [a, b, c1, c2, d];

/**
 * Inputs of the regression: 1, the logit of a move, sine and cosine of the New York time of day, and 1 at the
 * weekend.
 */
function inputsOf(rawNo: number, closesMs: number): number[] {
  const weekMs = newYorkTimeOfWeekMs(closesMs);
  const angle = (2 * Math.PI * weekMs) / DAY_MS;
  const isWeekend = weekMs > WEEKEND.fromMs || weekMs <= WEEKEND.toMs;
  return [1, logitOfMove(rawNo), Math.sin(angle), Math.cos(angle), isWeekend ? 1 : 0];
}

/** The weekend runs from Friday 17:00 to Sunday 17:00; both limits count from Sunday 00:00. */
const WEEKEND = { fromMs: 5 * DAY_MS + 17 * HOUR_MS, toMs: 17 * HOUR_MS } as const;

function dot(weights: readonly number[], inputs: readonly number[]): number {
  return inputs.reduce((sum, input, k) => sum + input * (weights[k] ?? 0), 0);
}

/** Logarithm of the odds that the class is not NO_TRADE, limited to -12..12. */
export function logitOfMove(probNo: number): number {
  const logit = Math.log((1 - probNo) / probNo);
  return Math.max(-LARGEST_LOGIT, Math.min(LARGEST_LOGIT, logit));
}

/**
 * Calibrated probability that the class of a candle is not NO_TRADE, from P(NO_TRADE) and the candle's close (epoch
 * ms).
 */
export function calibratedMoveProbability(weights: OnlineWeights, probNo: number, closesMs: number): number {
  return 1 / (1 + Math.exp(-dot(listOf(weights), inputsOf(probNo, closesMs))));
}

/** A calibrated copy of a forecast's three probabilities. P(BUY) and P(SELL) keep their ratio. */
export function applyOnlineCalibration(
  calibration: OnlineWeights,
  probs: Float64Array,
  closesMs: number,
): Float64Array {
  const move = calibratedMoveProbability(calibration, elementOrNaN(probs, 2), closesMs);
  const directions = elementOrNaN(probs, 0) + elementOrNaN(probs, 1);
  if (!(directions > 0)) return Float64Array.of(0, 0, 1);
  const scale = move / directions;
  return Float64Array.of(scale * elementOrNaN(probs, 0), scale * elementOrNaN(probs, 1), 1 - move);
}
