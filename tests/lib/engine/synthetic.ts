import { uniformSource } from "@/lib/engine/random";
import type { CandleSeries } from "@/lib/market/candles";
import { normalSource } from "./normal-source";
import { seriesOf } from "./vectors";

/** Steps of the walk within a candle: enough for a realistic ratio of range to body. */
const STEPS = 12;

/**
 * A random walk of hourly candles without a directional edge unless `drift` (per candle, in units of volatility) sets
 * one. Volatility clusters, tails are fat and the day has a rhythm, as in real candles.
 */
export function randomWalk(options: {
  n: number;
  seed: number;
  drift?: (i: number) => number;
}): CandleSeries {
  const { n, seed, drift = () => 0 } = options;
  const uniform = uniformSource(seed);
  const normal = normalSource(uniform);
  let price = 100;
  let variance = 1;
  const rows: number[][] = [];
  for (let i = 0; i < n; i++) {
    const hour = i % 24;
    const scale = 0.001 * Math.sqrt(variance) * (hour >= 8 && hour < 17 ? 1.3 : 0.8);
    const tail = uniform() < 0.03 ? 2.5 : 0.95;
    const open = price;
    let high = open;
    let low = open;
    let shock = 0;
    for (let k = 0; k < STEPS; k++) {
      const step = (tail * normal()) / Math.sqrt(STEPS);
      shock += step;
      price *= Math.exp(scale * (step + drift(i) / STEPS));
      high = Math.max(high, price);
      low = Math.min(low, price);
    }
    variance = 0.04 + 0.08 * shock * shock * variance + 0.88 * variance;
    rows.push([open, high, low, price]);
  }
  return seriesOf(rows);
}

/** The same candles up to `cut`, and garbage after it. */
export function garbleCandlesAfter(candles: CandleSeries, cut: number, seed: number): CandleSeries {
  const uniform = uniformSource(seed);
  const garbled = structuredClone(candles);
  for (let i = cut + 1; i < candles.ts.length; i++) {
    const price = 1 + 1000 * uniform();
    garbled.open[i] = price;
    garbled.high[i] = price * (1.5 + uniform());
    garbled.low[i] = price * 0.5 * uniform();
    garbled.close[i] = price * (0.6 + 0.8 * uniform());
    garbled.volume[i] = 1e6 * uniform();
  }
  return garbled;
}
