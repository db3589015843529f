import { wilderAtr } from "@/lib/engine/atr";
import { elementOrNaN } from "@/lib/engine/column";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import {
  forecastRanges,
  largestMoves,
  MIN_RANGE_CANDLES,
  MOVE_KINDS,
  type MoveKind,
  RANGE_HISTORY_CANDLES,
  RANGE_QUANTILES,
} from "@/lib/engine/ranges/forecast-ranges";
import { newYorkHour, newYorkWeekday } from "@/lib/market/calendar";
import { type CandleSeries, sliceCandles } from "@/lib/market/candles";
import { groupBy } from "@/lib/runtime/group-by";
import { DAY_MS } from "@/lib/time";

/** Candles forecast from one start: restarting at each candle, like the service, takes a hundred times as long. */
const STRIDE = 100;
/** Years with a smaller share of the fullest year's candles are not shown. */
const FULL_YEAR = 0.8;
/** Number of past moves whose quantiles give the ATR multiples, updated at each stride. */
const ATR_MEMORY = 2000;

interface Said {
  index: number;
  quantiles: Record<MoveKind, readonly number[]>;
}

/** Prints a slot's range coverage by calendar year, and the improvement over ATR multiples. */
export function printRangeCoverage(
  name: string,
  candles: CandleSeries,
  timeframeMinutes: number,
  print: (line: string) => void,
): void {
  const said = saidRanges(candles, timeframeMinutes);
  const moves = largestMoves(candles);
  const known = said.filter(({ index }) => !Number.isNaN(elementOrNaN(moves.up, index)));
  if (known.length === 0) {
    print(`${name}  left out: ${candles.ts.length} candles`);
    return;
  }
  const years = groupBy(known, ({ index }) => new Date(elementOrNaN(candles.ts, index)).getUTCFullYear());
  const fullest = Math.max(...[...years.values()].map(({ length }) => length));
  for (const way of MOVE_KINDS) {
    const gain = 100 * (1 - loss(known, way, moves[way], candles) / atrLoss(known, way, moves[way], candles));
    const shares = [...years].flatMap(([year, ofYear]) =>
      ofYear.length < FULL_YEAR * fullest
        ? []
        : [{ year, share: 100 * shareBetween(ofYear, way, moves[way]) }],
    );
    const any = sharesOfAnyYear(known, way, moves[way], candles);
    print(
      `${name} ${way}: n ${known.length}, 80 % intervals cover ${(100 * shareBetween(known, way, moves[way])).toFixed(1)} %, ` +
        `${span(shares.map(({ share }) => share))} in ${shares.length} calendar years, ` +
        `${span(any)} in any year (${any.filter((share) => share < 78 || share > 82).length} of ${any.length} outside of 78 to 82); ` +
        `by hour ${span(sharesBy(known, way, moves[way], (index) => newYorkHour(elementOrNaN(candles.ts, index))))}, ` +
        `by weekday ${span(sharesBy(known, way, moves[way], (index) => newYorkWeekday(elementOrNaN(candles.ts, index))))}; ` +
        `pinball loss ${gain.toFixed(1)} % below that of ATR multiples`,
    );
  }
}

function saidRanges(candles: CandleSeries, timeframeMinutes: number): Said[] {
  const said: Said[] = [];
  for (let from = MIN_RANGE_CANDLES - 1; from < candles.ts.length; from += STRIDE) {
    const begin = Math.max(0, from - RANGE_HISTORY_CANDLES + 1);
    const end = Math.min(candles.ts.length, from + STRIDE);
    const window = sliceCandles(candles, begin, end);
    const forecasts = forecastRanges({
      candles: window,
      timeframeMinutes,
      fromIndex: from - begin,
      toIndex: end - begin,
    });
    said.push(
      ...forecasts.map(({ index, either, up, down }) => ({
        index: begin + index,
        quantiles: { either, up, down },
      })),
    );
  }
  return said;
}

function shareBetween(said: readonly Said[], way: MoveKind, moves: Float64Array): number {
  const held = said.filter(({ index, quantiles }) => {
    const [low = 0, high = 0] = [quantiles[way][0], quantiles[way].at(-1)];
    return elementOrNaN(moves, index) > low && elementOrNaN(moves, index) <= high;
  });
  return held.length / said.length;
}

/** Coverage in percent of every year-long span, starting at each week of the record. */
function sharesOfAnyYear(
  said: readonly Said[],
  way: MoveKind,
  moves: Float64Array,
  candles: CandleSeries,
): number[] {
  const tsOf = (place: number) => elementOrNaN(candles.ts, said[place]?.index ?? 0);
  const shares: number[] = [];
  let [from, to] = [0, 0];
  for (let startMs = tsOf(0); startMs + 365 * DAY_MS <= tsOf(said.length - 1); startMs += 7 * DAY_MS) {
    while (tsOf(from) < startMs) from++;
    while (tsOf(to) < startMs + 365 * DAY_MS) to++;
    shares.push(100 * shareBetween(said.slice(from, to), way, moves));
  }
  return shares;
}

/** Hours and weekdays with fewer candles are not shown. */
const MIN_OF_KIND = 300;

/** Coverage in percent by kind of candle. */
function sharesBy(
  said: readonly Said[],
  way: MoveKind,
  moves: Float64Array,
  kindOf: (index: number) => number,
): number[] {
  return [...groupBy(said, ({ index }) => kindOf(index)).values()]
    .filter(({ length }) => length >= MIN_OF_KIND)
    .map((ofKind) => 100 * shareBetween(ofKind, way, moves));
}

function span(shares: readonly number[]): string {
  return shares.length === 0
    ? "unknown"
    : `${Math.min(...shares).toFixed(1)} to ${Math.max(...shares).toFixed(1)} %`;
}

/** Mean pinball loss over all quantiles, in ATR of the candle. */
function loss(said: readonly Said[], way: MoveKind, moves: Float64Array, candles: CandleSeries): number {
  const atr = wilderAtr(candles, OUTCOME_RULE.atrPeriod);
  let sum = 0;
  for (const { index, quantiles } of said) {
    for (const [k, quantile] of RANGE_QUANTILES.entries()) {
      const over = elementOrNaN(moves, index) - (quantiles[way][k] ?? 0);
      sum += Math.max(quantile * over, (quantile - 1) * over) / elementOrNaN(atr, index);
    }
  }
  return sum / said.length / RANGE_QUANTILES.length;
}

/** Loss of a forecast from the quantiles of the latest completed moves, as shares of ATR. */
function atrLoss(said: readonly Said[], way: MoveKind, moves: Float64Array, candles: CandleSeries): number {
  const atr = wilderAtr(candles, OUTCOME_RULE.atrPeriod);
  const multiples: number[][] = [];
  const ofAtr = said.map(({ index, quantiles }, i): Said => {
    const stride = Math.floor(i / STRIDE);
    multiples[stride] ??= quantilesOf(
      Array.from({ length: ATR_MEMORY }, (_, k) => index - OUTCOME_RULE.horizonCandles - k)
        .filter((j) => elementOrNaN(atr, j) > 0)
        .map((j) => elementOrNaN(moves, j) / elementOrNaN(atr, j)),
    );
    const own = (multiples[stride] ?? []).map((multiple) => multiple * elementOrNaN(atr, index));
    return { index, quantiles: { ...quantiles, [way]: own } };
  });
  return loss(ofAtr, way, moves, candles);
}

function quantilesOf(values: number[]): number[] {
  const sorted = values.sort((a, b) => a - b);
  return RANGE_QUANTILES.map((quantile) => sorted[Math.floor(quantile * sorted.length)] ?? 0);
}
