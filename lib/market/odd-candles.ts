import type { OddCandleKind } from "@/lib/vocabulary";
import { type CandleSeries, candleAt, makeCandleSeries } from "./candles";

/** A candle that contradicts the prices around it: a bad tick, or the first one after a split. */
export interface OddCandle {
  kind: OddCandleKind;
  /** Open time, epoch ms. */
  ts: number;
  /**
   * Bad tick: how far the candle is beyond the closes before and after it, or (if it looked like a split) how far its
   * open is from the close before it, in both cases as a share of the close before it. Split: new price / old price, as
   * the nearest of {@link SPLITS}.
   */
  size: number;
}

/** The usual range of a candle is the mean true range of this many candles before it. */
const USUAL_CANDLES = 50;
/**
 * A high or low this many usual ranges beyond the closes before and after it may be a bad tick; an open this far from
 * the last close may be a split.
 */
const TICK_RANGES = 25;
/**
 * A bad tick also needs closes before and after it that differ by at most this many usual ranges. After a real crash
 * they differ by more.
 */
const BACK_RANGES = 5;
/** Price ratios of splits and consolidations. */
const SPLITS = [1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 100].flatMap((ratio) => [
  ratio,
  1 / ratio,
]);
const SPLIT_TOLERANCE = 0.03;
/**
 * A split also needs this many closes nearer to the former price before it, and this many nearer to the new price from
 * its own candle on; fewer where the series has fewer.
 */
const LEVEL_CANDLES = 5;

/**
 * Finds the candles of a series that look wrong.
 *
 * Bad tick: a high or low more than 25 usual ranges (mean true range of the 50 candles before) beyond the closes before
 * and after it, which are at most 5 usual ranges apart. Split: an opening more than 25 usual ranges from the last
 * close, whose ratio to that close is one of {@link SPLITS} within 3 %, between five closes near the former price and
 * up to five near the new one. Such an opening is a bad tick if one of the five closes from its own candle on is nearer
 * to the former price. Closes of earlier bad ticks are ignored. The first 51 candles and the last one are not checked.
 */
export function findOddCandles(candles: CandleSeries): OddCandle[] {
  const { ts, open, high, low, close } = candles;
  const n = ts.length;
  const value = (column: Float64Array, i: number) => column[i] ?? Number.NaN;
  const ranges = new Float64Array(n);
  let sum = 0;
  const odd: OddCandle[] = [];
  // Closes so far, without those of bad ticks.
  const closes: number[] = [];
  for (let i = 0; i < n - 1; i++) {
    const before = closes.at(-1) ?? value(open, 0);
    const after = value(close, i + 1);
    const opened = value(open, i);
    // Without any movement, and at the start, there is no usual range, and no candle is odd.
    const usual = i > USUAL_CANDLES && sum > 0 ? sum / USUAL_CANDLES : Number.NaN;
    const off = Math.max(value(high, i) - Math.max(before, after), Math.min(before, after) - value(low, i));
    const split = SPLITS.find((known) => Math.abs(opened / before / known - 1) <= SPLIT_TOLERANCE);
    const isJump = split !== undefined && Math.abs(opened - before) > TICK_RANGES * usual;
    const stays =
      isJump && close.subarray(i, i + LEVEL_CANDLES).every((one) => isNearer(one, opened, before));
    const isTick = isJump
      ? !stays
      : off > TICK_RANGES * usual && Math.abs(after - before) <= BACK_RANGES * usual;
    if (stays && closes.slice(-LEVEL_CANDLES).every((one) => isNearer(one, before, opened)))
      odd.push({ kind: "split", ts: value(ts, i), size: split });
    if (isTick) {
      const distance = isJump ? Math.abs(opened - before) : off;
      odd.push({ kind: "bad_tick", ts: value(ts, i), size: distance / before });
    } else closes.push(value(close, i));
    // A bad tick counts with the usual range.
    ranges[i] = isTick ? usual : Math.max(value(high, i), before) - Math.min(value(low, i), before);
    sum += value(ranges, i) - (i >= USUAL_CANDLES ? value(ranges, i - USUAL_CANDLES) : 0);
  }
  return odd;
}

/** Whether a price is nearer, as a ratio, to one price than to another. */
const isNearer = (price: number, to: number, than: number): boolean =>
  Math.abs(Math.log(price / to)) < Math.abs(Math.log(price / than));

/**
 * The series without its bad ticks, and with prices and volumes before a split converted to those after it. The same
 * object if `odd` is empty.
 */
export function repairOddCandles(candles: CandleSeries, odd: readonly OddCandle[]): CandleSeries {
  if (odd.length === 0) return candles;
  const byTs = new Map(odd.map((one) => [one.ts, one]));
  const rows: ReturnType<typeof candleAt>[] = [];
  let factor = 1;
  for (let i = candles.ts.length - 1; i >= 0; i--) {
    const row = candleAt(candles, i);
    const found = byTs.get(row.ts);
    if (found?.kind !== "bad_tick")
      rows.push({
        ts: row.ts,
        open: row.open * factor,
        high: row.high * factor,
        low: row.low * factor,
        close: row.close * factor,
        volume: row.volume / factor,
      });
    if (found?.kind === "split") factor *= found.size;
  }
  return makeCandleSeries(rows.reverse());
}
