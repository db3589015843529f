import { NO_TRADE } from "@/lib/engine/classes";
import { at } from "@/lib/engine/column";

/**
 * Online calibration of "moves or not": logit p' = a + b logit p.
 *
 * What has been learnt stands as the curvature and the slope of a quadratic log-likelihood in (a, b), both fading with
 * every forecast learnt after, so that a day's forecasts are learnt from once and need not be kept. Plain data.
 */
export interface OnlineCalibration {
  a: number;
  b: number;
  /** Curvature of what was learnt: aa, ab, bb. */
  curvature: [number, number, number];
  /** Curvature times the (a, b) of highest likelihood. */
  pull: [number, number];
  /** Forecasts learnt from. */
  n: number;
}

/** Nothing learnt: every forecast stays as it is. */
export const UNCALIBRATED: Readonly<OnlineCalibration> = {
  a: 0,
  b: 1,
  curvature: [0, 0, 0],
  pull: [0, 0],
  n: 0,
};

export interface OnlineSettings {
  /** Forecasts after which one counts half. */
  halfLife: number;
  /** Curvature of the pull towards (0, 1), of a and of b. */
  ridge: number;
}

export const ONLINE_SETTINGS: Readonly<OnlineSettings> = { halfLife: 4000, ridge: 100 };

/** A logit beyond this counts as this. */
const LARGEST_LOGIT = 12;
const MOST_STEPS = 20;

/** A forecast of whether the market moves, as the model gave it, and what came. */
export interface ResolvedForecast {
  /** P(NO_TRADE) before any online calibration. */
  rawNo: number;
  /** Class that came. */
  label: number;
}

/**
 * Learns from forecasts in order of time: the (a, b) of highest age-weighted likelihood, pulled a little towards (0, 1).
 * Newton's method on the new forecasts beside the quadratic that stands for all older ones.
 */
export function learnOnline(
  known: OnlineCalibration,
  forecasts: readonly ResolvedForecast[],
  settings: OnlineSettings = ONLINE_SETTINGS,
): OnlineCalibration {
  if (forecasts.length === 0) return known;
  const keep = 0.5 ** (1 / settings.halfLife);
  const faded = keep ** forecasts.length;
  const cases = forecasts.map(({ rawNo, label }, i) => ({
    x: logitOfMove(rawNo),
    y: label === NO_TRADE ? 0 : 1,
    weight: keep ** (forecasts.length - 1 - i),
  }));
  let { a, b } = known;
  for (let step = 0; ; step++) {
    let [haa, hab, hbb] = scaled(known.curvature, faded);
    let [ga, gb] = scaled(known.pull, faded);
    for (const { x, y, weight } of cases) {
      const z = a + b * x;
      const p = 1 / (1 + Math.exp(-z));
      const w = weight * p * (1 - p);
      haa += w;
      hab += w * x;
      hbb += w * x * x;
      const moved = w * z + weight * (y - p);
      ga += moved;
      gb += moved * x;
    }
    const [nextA, nextB] = mode([haa, hab, hbb], [ga, gb], settings.ridge);
    const hasSettled = Math.abs(nextA - a) + Math.abs(nextB - b) < 1e-9;
    [a, b] = [nextA, nextB];
    if (hasSettled || step === MOST_STEPS) {
      return { a, b, curvature: [haa, hab, hbb], pull: [ga, gb], n: known.n + forecasts.length };
    }
  }
}

/** The (a, b) of highest likelihood with the pull towards (0, 1). */
function mode(
  [haa, hab, hbb]: [number, number, number],
  [ga, gb]: [number, number],
  ridge: number,
): [number, number] {
  const [aa, bb] = [haa + ridge, hbb + ridge];
  const determinant = aa * bb - hab * hab;
  return [(bb * ga - hab * (gb + ridge)) / determinant, (aa * (gb + ridge) - hab * ga) / determinant];
}

function scaled<T extends number[]>(values: T, by: number): T {
  // A map keeps the length.
  return values.map((value) => by * value) as T;
}

/** Logarithm of the odds that the market moves. */
export function logitOfMove(probNo: number): number {
  const logit = Math.log((1 - probNo) / probNo);
  return Math.max(-LARGEST_LOGIT, Math.min(LARGEST_LOGIT, logit));
}

/** P(move) after calibration, of a forecast that says `probNo`. */
export function calibratedMove({ a, b }: Pick<OnlineCalibration, "a" | "b">, probNo: number): number {
  return 1 / (1 + Math.exp(-(a + b * logitOfMove(probNo))));
}

/** Calibrated copies of n x 3 probabilities; both directions keep their ratio. */
export function applyOnline(
  calibration: Pick<OnlineCalibration, "a" | "b">,
  probs: Float64Array,
): Float64Array {
  const calibrated = new Float64Array(probs.length);
  for (let i = 0; i < probs.length; i += 3) {
    const no = at(probs, i + 2);
    const move = calibratedMove(calibration, no);
    const directions = at(probs, i) + at(probs, i + 1);
    const scale = directions > 0 ? move / directions : 0;
    calibrated[i] = scale * at(probs, i);
    calibrated[i + 1] = scale * at(probs, i + 1);
    calibrated[i + 2] = directions > 0 ? 1 - move : 1;
  }
  return calibrated;
}
