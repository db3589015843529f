/**
 * A simulated market. None of its prices were ever traded.
 *
 * It exists so that a fresh installation shows a working service: M15 candles in the opening hours of each
 * symbol, with clustered volatility, a daily rhythm in New York time, occasional large moves, and a weak pull to
 * an anchor price that keeps months of it plausible.
 *
 * It has an edge because one is built in: regimes last from four hours to five days, and during a trend regime prices
 * drift. The drift is large enough that the baseline finds it within 90 days. Results on this market show that the
 * software works; they say nothing about real markets.
 *
 * A candle's random numbers are a pure hash of seed, symbol, purpose and place on the time scale, and the only state
 * is the previous close. A series continued from its last stored close is therefore identical to one made in a
 * single run, as long as the symbol's trading hours stay the same.
 */

import { isMarketOpen, newYorkHour } from "@/lib/market/calendar";
import type { CandleRow } from "@/lib/market/candles";
import { MINUTE_MS } from "@/lib/time";
import { createDemoRandom, type DemoRandom } from "./demo-noise";
import { demoRegimeAt, REGIME_SHAPES } from "./demo-regimes";
import type { DemoSymbol } from "./demo-symbols";

export const DEMO_CANDLE_MS = 15 * MINUTE_MS;
const CANDLES_PER_DAY = 96;

/** Pull towards the anchor price: it halves the logarithmic distance in about 20 open days. */
const PULL_PER_CANDLE = Math.LN2 / (20 * CANDLES_PER_DAY);
/** Standard deviation of the gap at a reopening, as a share of the standard deviation of a day's return. */
const GAP_SHARE = 0.08;
const TAIL_PROBABILITY = 0.02;
const TAIL_FACTOR = 2.5;
/** Factor by which the large moves raise the variance; returns are divided by its root to undo that. */
const TAIL_VARIANCE = 1 + TAIL_PROBABILITY * (TAIL_FACTOR ** 2 - 1);
/** Factor by which trends raise a day's standard deviation; returns are divided by it to undo that. */
const TREND_DEVIATION = 1.8;
const MEAN_VOLUME = 1200;

/** Relative volatility by New York hour 0..23: quiet Asian hours, London from 3, the overlap from 8 to 12. */
const DAILY_RHYTHM: readonly number[] = [
  0.75, 0.8, 0.95, 1.2, 1.25, 1.1, 1.0, 1.05, 1.4, 1.5, 1.5, 1.3, 1.1, 1.05, 1.05, 0.95, 0.7, 0.5, 0.6, 0.75,
  0.85, 0.85, 0.8, 0.75,
];
const RHYTHM_NORM = Math.sqrt(DAILY_RHYTHM.reduce((sum, factor) => sum + factor ** 2, 0) / 24);

function rhythm(demo: DemoSymbol, atMs: number): number {
  const factor = (DAILY_RHYTHM[newYorkHour(atMs)] ?? 1) / RHYTHM_NORM;
  // Crypto has the same daily rhythm, but a weaker one.
  return demo.calendar === "crypto" ? 0.6 + 0.4 * factor : factor;
}

/** Slowly changing noise: one standard normal number every `span` candles, with linear interpolation between them. */
function slowNoise(
  noise: DemoRandom,
  purpose: "daily_volatility" | "weekly_volatility",
  index: number,
  span: number,
): number {
  const knot = Math.floor(index / span);
  const part = index / span - knot;
  return (1 - part) * noise.normal(purpose, knot) + part * noise.normal(purpose, knot + 1);
}

/** A factor on the volatility, log-normal around 1. It changes slowly, so that volatility clusters. */
function volatilityLevel(noise: DemoRandom, index: number): number {
  const daily = slowNoise(noise, "daily_volatility", index, CANDLES_PER_DAY);
  const weekly = slowNoise(noise, "weekly_volatility", index, 5 * CANDLES_PER_DAY);
  return Math.exp(0.2 * daily + 0.2 * weekly);
}

/**
 * A random maximum of a Brownian path from 0 to `end`, by inverting the distribution of the maximum of a Brownian
 * bridge. `deviation` is the standard deviation of the path, `draw` uniform on (0, 1).
 */
function bridgeMaximum(end: number, deviation: number, draw: number): number {
  return (end + Math.sqrt(end ** 2 - 2 * deviation ** 2 * Math.log(draw))) / 2;
}

function demoCandle(demo: DemoSymbol, noise: DemoRandom, index: number, previousClose: number): CandleRow {
  const ts = index * DEMO_CANDLE_MS;
  const round = (price: number) => Number(price.toFixed(demo.digits));
  const shape = REGIME_SHAPES[demoRegimeAt(noise, index)];

  const reopens = !isMarketOpen(demo.calendar, ts - DEMO_CANDLE_MS);
  const gap = reopens ? GAP_SHARE * demo.dailyVolatility * noise.normal("gap", index) : 0;
  const open = round(previousClose * Math.exp(gap));

  const ofCandle = demo.dailyVolatility / (TREND_DEVIATION * Math.sqrt(CANDLES_PER_DAY));
  const usual = ofCandle * volatilityLevel(noise, index);
  const activity = rhythm(demo, ts) * shape.volatility;
  const tail = noise.uniform("tail", index) < TAIL_PROBABILITY ? TAIL_FACTOR : 1;
  const deviation = (usual * activity * tail) / Math.sqrt(TAIL_VARIANCE);

  const shock =
    (noise.normal("return", index) - shape.reversal * noise.normal("return", index - 1)) /
    Math.sqrt(1 + shape.reversal ** 2);
  const pull = -PULL_PER_CANDLE * Math.log(open / demo.anchorPrice);
  const logReturn = usual * shape.drift + deviation * shock + pull;

  const above = bridgeMaximum(logReturn, deviation, noise.uniform("high", index));
  const below = bridgeMaximum(-logReturn, deviation, noise.uniform("low", index));
  const close = round(open * Math.exp(logReturn));
  return {
    ts,
    open,
    high: Math.max(open, close, round(open * Math.exp(above))),
    low: Math.min(open, close, round(open * Math.exp(-below))),
    close,
    volume: Math.round(MEAN_VOLUME * activity * (0.6 + 0.8 * noise.uniform("volume", index))),
  };
}

/**
 * The simulated M15 candles that open at or after `fromMs` and have closed by `toMs` (epoch ms), oldest first, in the
 * symbol's open hours only. `previousClose` is the close before them, null to start at the anchor price; `seed` is an
 * integer. The same arguments and trading hours give the same candles. Throws RangeError for a close that is not a
 * positive price.
 */
export function simulateDemoCandles(run: {
  seed: number;
  symbol: DemoSymbol;
  fromMs: number;
  toMs: number;
  previousClose: number | null;
}): CandleRow[] {
  const { seed, symbol: demo, fromMs, toMs } = run;
  const noise = createDemoRandom(seed, demo.symbol);
  const candles: CandleRow[] = [];
  let previousClose = run.previousClose ?? demo.anchorPrice;
  if (!(previousClose > 0 && Number.isFinite(previousClose))) throw new RangeError("not a price");
  for (let index = Math.ceil(fromMs / DEMO_CANDLE_MS); (index + 1) * DEMO_CANDLE_MS <= toMs; index++) {
    if (!isMarketOpen(demo.calendar, index * DEMO_CANDLE_MS)) continue;
    const candle = demoCandle(demo, noise, index, previousClose);
    candles.push(candle);
    previousClose = candle.close;
  }
  return candles;
}
