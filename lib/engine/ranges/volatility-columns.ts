import { trueRanges } from "@/lib/engine/atr";
import { elementOrNaN } from "@/lib/engine/column";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import { newYorkHour, newYorkWeekday } from "@/lib/market/calendar";
import { type CandleSeries, sliceCandles } from "@/lib/market/candles";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/lib/time";

const WEEK_HOURS = 168;
const DAY_HOURS = 24;
const WEEK_MINUTES = WEEK_HOURS * 60;
/** Half-life of the weekly profile, in candles of the same hour of the week. */
const PROFILE_HALF_LIFE = 26;
/**
 * Shrinkage in candles: an hour of the week with this many candles counts as much as its hour of the day, and an hour
 * of the day as much as a profile without any rhythm.
 */
const PROFILE_WEIGHT = 4;
/** An hour of the week with a smaller share of the candles of the fullest hour is not a trading hour. */
const TRADING_SHARE = 0.25;
/** Half-life, in candles, of the slow level of the log true range. */
const LEVEL_HALF_LIFE = 2000;
/** Limit of a true range's deviation from the usual one, in log units. */
const CLIP = 3;
const SMALLEST_RELATIVE_RANGE = 1e-6;

/** Half-lives, in candles, of the deviations from the usual range. */
export const DEVIATION_HALF_LIVES: readonly number[] = [2, 8, 24, 96, 480];

/** Usual volatility by the hour of the week, and deviations from it, one value per candle. */
export interface VolatilityColumns {
  /**
   * Log of the volatility that the coming horizon would have if every hour were as usual: the root of the summed
   * squared true ranges, as a share of the price or (`inPrice`) in price.
   */
  usual: Float64Array;
  /**
   * By half-life, in the order of {@link DEVIATION_HALF_LIVES}: mean deviation of the log true range from its usual
   * value.
   */
  deviations: Float64Array[];
}

/**
 * Seasonally adjusted volatility. Log true range relative to the price = slow level + profile of the New York hour of
 * the week + deviation. The level, the profile and the deviations (at each of {@link DEVIATION_HALF_LIVES}) are
 * exponentially weighted means of the candles so far. The coming horizon is the next 12 candles in trading hours of the
 * profile, so that on a Friday evening it covers Sunday and Monday. Candles longer than a day have no weekly profile.
 *
 * Each value uses its candle and those before it.
 *
 * @param fromIndex first candle for which `usual` is computed; NaN before it
 * @param inPrice ranges in price and not relative to it, so that an inverted market gives the same values
 */
export function volatilityColumns(
  candles: CandleSeries,
  timeframeMinutes: number,
  { fromIndex = 0, inPrice = false }: { fromIndex?: number; inPrice?: boolean } = {},
): VolatilityColumns {
  const { ts, close } = candles;
  const n = ts.length;
  const ranges = trueRanges(candles);
  const rhythm = new WeeklyRhythm(timeframeMinutes);
  const level = new DecayedMean(LEVEL_HALF_LIFE);
  const means = DEVIATION_HALF_LIVES.map((halfLife) => new DecayedMean(halfLife));
  const usual = new Float64Array(n).fill(Number.NaN);
  const deviations = means.map(() => new Float64Array(n));
  for (let i = 0; i < n; i++) {
    const relative = elementOrNaN(ranges, i) / Math.abs(elementOrNaN(close, i));
    const value = Math.log(
      Math.max(SMALLEST_RELATIVE_RANGE, Math.min(1, relative)) || SMALLEST_RELATIVE_RANGE,
    );
    const logRange = inPrice ? value + Math.log(Math.abs(elementOrNaN(close, i))) : value;
    level.add(logRange);
    const excess = logRange - level.mean;
    const minute = rhythm.minuteOf(elementOrNaN(ts, i));
    const deviation = Math.max(-CLIP, Math.min(CLIP, excess - rhythm.usualAt(minute)));
    for (const [k, mean] of means.entries()) {
      mean.add(deviation);
      const column = deviations[k];
      if (column !== undefined) column[i] = mean.mean;
    }
    rhythm.add(minute, excess);
    if (i >= fromIndex) usual[i] = level.mean + rhythm.logRootOfComing(minute);
  }
  return { usual, deviations };
}

/**
 * How many candle lengths before a block the averages for its candles start. A block is `BLOCK_LENGTHS` lengths long.
 */
const BLOCK_HISTORY = 2500;
const BLOCK_LENGTHS = 500;

/**
 * Maximum number of candles between a candle and the start of the history that {@link anchoredVolatilityColumns} uses
 * for it.
 */
export const MAX_VOLATILITY_HISTORY_CANDLES = BLOCK_HISTORY + BLOCK_LENGTHS;

/**
 * The columns of {@link volatilityColumns}, in price, with averages whose start depends on the candle only: for each
 * block of 500 candle lengths (counted from the epoch) they start 2,500 lengths before the block. A series that starts
 * later gives the same bits if it reaches back to that start. All columns are NaN before `fromIndex`.
 */
export function anchoredVolatilityColumns(
  candles: CandleSeries,
  timeframeMinutes: number,
  fromIndex = 0,
): VolatilityColumns {
  const { ts } = candles;
  const n = ts.length;
  const usual = new Float64Array(n).fill(Number.NaN);
  const deviations = DEVIATION_HALF_LIVES.map(() => new Float64Array(n).fill(Number.NaN));
  const lengthMs = timeframeMinutes * MINUTE_MS;
  const blockMs = BLOCK_LENGTHS * lengthMs;
  let history = 0;
  for (let start = fromIndex; start < n; ) {
    const blockFromMs = Math.floor(elementOrNaN(ts, start) / blockMs) * blockMs;
    let end = start;
    while (end < n && elementOrNaN(ts, end) < blockFromMs + blockMs) end++;
    while (elementOrNaN(ts, history) < blockFromMs - BLOCK_HISTORY * lengthMs) history++;
    const block = volatilityColumns(sliceCandles(candles, history, end), timeframeMinutes, {
      fromIndex: start - history,
      inPrice: true,
    });
    usual.set(block.usual.subarray(start - history), start);
    for (const [k, column] of deviations.entries()) {
      column.set(block.deviations[k]?.subarray(start - history) ?? [], start);
    }
    start = end;
  }
  return { usual, deviations };
}

/** An exponentially weighted mean. */
class DecayedMean {
  mean = 0;
  #weight = 0;
  readonly #keep: number;

  constructor(halfLife: number) {
    this.#keep = 0.5 ** (1 / halfLife);
  }

  add(value: number): void {
    this.#weight = this.#keep * this.#weight + 1;
    this.mean += (value - this.mean) / this.#weight;
  }
}

/** Usual ranges at each New York hour of the week, in log units relative to the level. */
class WeeklyRhythm {
  readonly #sums = new Float64Array(WEEK_HOURS);
  readonly #weights = new Float64Array(WEEK_HOURS);
  readonly #daySums = new Float64Array(DAY_HOURS);
  readonly #dayWeights = new Float64Array(DAY_HOURS);
  readonly #keep = 0.5 ** (1 / PROFILE_HALF_LIFE);
  readonly #isFlat: boolean;
  #fullest = 0;

  constructor(private readonly stepMinutes: number) {
    this.#isFlat = stepMinutes * MINUTE_MS > DAY_MS;
  }

  /** Minute of the New York week in which a candle opens. New York is whole hours away from UTC. */
  minuteOf(ts: number): number {
    if (this.#isFlat) return 0;
    return 60 * (DAY_HOURS * newYorkWeekday(ts) + newYorkHour(ts)) + Math.floor((ts % HOUR_MS) / MINUTE_MS);
  }

  add(minute: number, excess: number): void {
    const hour = Math.floor(minute / 60);
    const day = hour % DAY_HOURS;
    // The sums of an hour of the day are those of its seven hours of the week.
    const sum = this.#keep * elementOrNaN(this.#sums, hour) + excess;
    const weight = this.#keep * elementOrNaN(this.#weights, hour) + 1;
    this.#daySums[day] = elementOrNaN(this.#daySums, day) + sum - elementOrNaN(this.#sums, hour);
    this.#dayWeights[day] = elementOrNaN(this.#dayWeights, day) + weight - elementOrNaN(this.#weights, hour);
    this.#sums[hour] = sum;
    this.#weights[hour] = weight;
    this.#fullest = Math.max(this.#fullest, weight);
  }

  usualAt(minute: number): number {
    const hour = Math.floor(minute / 60);
    const day = hour % DAY_HOURS;
    const ofDay = elementOrNaN(this.#daySums, day) / (elementOrNaN(this.#dayWeights, day) + PROFILE_WEIGHT);
    return (
      (elementOrNaN(this.#sums, hour) + PROFILE_WEIGHT * ofDay) /
      (elementOrNaN(this.#weights, hour) + PROFILE_WEIGHT)
    );
  }

  /** log sqrt(sum of exp(2 x usual)) over the trading candles of the coming horizon. */
  logRootOfComing(minute: number): number {
    const horizon = OUTCOME_RULE.horizonCandles;
    if (this.#isFlat) return 0.5 * Math.log(horizon);
    const least = TRADING_SHARE * this.#fullest;
    let sum = 0;
    let found = 0;
    let next = minute;
    // After a whole week the profile repeats.
    for (let looked = 0; found < horizon && looked <= WEEK_MINUTES; looked += this.stepMinutes) {
      next = (next + this.stepMinutes) % WEEK_MINUTES;
      if (elementOrNaN(this.#weights, Math.floor(next / 60)) < least) {
        // All steps within this hour are skipped at once: with candles of a minute there may be a week of them.
        const rest = (Math.ceil((60 - (next % 60)) / this.stepMinutes) - 1) * this.stepMinutes;
        next += rest;
        looked += rest;
        continue;
      }
      sum += Math.exp(2 * this.usualAt(next));
      found++;
    }
    return found === 0 ? 0.5 * Math.log(horizon) : 0.5 * Math.log((sum / found) * horizon);
  }
}
