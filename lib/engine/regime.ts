import type { CandleSeries } from "@/lib/market/candles";
import { trueRanges, wilderAtr } from "./atr";
import { elementOrNaN } from "./column";
import { rollingMean } from "./rolling";

/** Market regimes, indexed by their numbers in {@link classifyRegimes}. */
export const REGIMES = ["UNKNOWN", "TREND_UP", "TREND_DOWN", "RANGE", "VOLATILE"] as const;

export type Regime = (typeof REGIMES)[number];

export const REGIME_UNKNOWN = 0;
export const REGIME_TREND_UP = 1;
export const REGIME_TREND_DOWN = 2;
const REGIME_RANGE = 3;
const REGIME_VOLATILE = 4;

/** Windows in candles and limits of the regime rule. */
const REGIME_RULE = {
  /** Window of the drift statistic. */
  driftCandles: 24,
  /** |drift statistic| from which a market trends. A driftless walk exceeds it about 21 % of the time. */
  driftLimit: 1.25,
  atrCandles: 14,
  /** Window of the mean true range, compared with ATR(14). */
  rangeCandles: 100,
  /** ATR(14) / mean true range from which a market without trend is volatile. */
  volatileRatio: 1.25,
} as const;

/**
 * Regime of every candle, from itself and the candles before it.
 *
 * With d the last 24 close-to-close changes, the drift statistic is sum(d) / sqrt(sum(d^2)): a t statistic whose error
 * is computed about zero. It is about standard normal for a driftless walk. Beyond +-1.25: TREND_UP or TREND_DOWN; else
 * VOLATILE if ATR(14) is at least 1.25 times the mean true range of 100 candles; else RANGE. UNKNOWN until these exist,
 * and where nothing has moved for 100 candles.
 *
 * @param fromIndex first candle to classify; earlier ones are left UNKNOWN, later ones do not depend on it
 * @returns numbers of {@link REGIMES}
 */
export function classifyRegimes(
  candles: Pick<CandleSeries, "high" | "low" | "close">,
  fromIndex = 0,
): Uint8Array {
  const { close } = candles;
  const drift = driftStatistic(close, REGIME_RULE.driftCandles, fromIndex);
  const atr = wilderAtr(candles, REGIME_RULE.atrCandles);
  const usualRange = rollingMean(trueRanges(candles), REGIME_RULE.rangeCandles);
  const regimes = new Uint8Array(close.length).fill(REGIME_UNKNOWN);
  for (let i = fromIndex; i < close.length; i++) {
    regimes[i] = regimeOf(elementOrNaN(drift, i), elementOrNaN(atr, i) / elementOrNaN(usualRange, i));
  }
  return regimes;
}

function regimeOf(drift: number, rangeRatio: number): number {
  if (!Number.isFinite(drift) || !Number.isFinite(rangeRatio)) return REGIME_UNKNOWN;
  if (drift >= REGIME_RULE.driftLimit) return REGIME_TREND_UP;
  if (drift <= -REGIME_RULE.driftLimit) return REGIME_TREND_DOWN;
  return rangeRatio >= REGIME_RULE.volatileRatio ? REGIME_VOLATILE : REGIME_RANGE;
}

/**
 * sum(d) / sqrt(sum(d^2)) of the last `window` changes d of a column.
 *
 * @returns one value per element in [-sqrt(window), sqrt(window)]; 0 where nothing moved; NaN before index `window` and
 *   before `fromIndex`
 */
export function driftStatistic(values: Float64Array, window: number, fromIndex = 0): Float64Array {
  const statistic = new Float64Array(values.length).fill(Number.NaN);
  for (let i = Math.max(window, fromIndex); i < values.length; i++) {
    // Summed from scratch at every candle: a running sum of squares drifts by rounding over years of candles.
    let squares = 0;
    for (let j = i - window + 1; j <= i; j++) {
      const change = elementOrNaN(values, j) - elementOrNaN(values, j - 1);
      squares += change * change;
    }
    const moved = elementOrNaN(values, i) - elementOrNaN(values, i - window);
    statistic[i] = squares === 0 ? 0 : moved / Math.sqrt(squares);
  }
  return statistic;
}

export function regimeLabel(regime: number): Regime {
  const label = REGIMES[regime];
  if (label === undefined) throw new RangeError(`no regime ${regime}`);
  return label;
}
