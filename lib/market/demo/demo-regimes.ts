import type { DemoRandom } from "./demo-noise";

export type DemoRegime = "TREND_UP" | "TREND_DOWN" | "RANGE" | "VOLATILE";

/** Parameters of the return of an M15 candle in a regime. */
export interface RegimeShape {
  /** Mean return, in standard deviations of a candle before the daily rhythm and `volatility`. */
  drift: number;
  /** Factor on the standard deviation. */
  volatility: number;
  /** Share of the previous candle's shock that is taken back (a moving average of order one). */
  reversal: number;
}

export const REGIME_SHAPES: Record<DemoRegime, RegimeShape> = {
  TREND_UP: { drift: 0.24, volatility: 0.9, reversal: 0 },
  TREND_DOWN: { drift: -0.24, volatility: 0.9, reversal: 0 },
  RANGE: { drift: 0, volatility: 0.85, reversal: 0.25 },
  VOLATILE: { drift: 0, volatility: 1.6, reversal: 0 },
};

/** Regimes begin at a border of cells of 16 M15 candles (4 hours), and at least every 30 cells (120 hours). */
const CANDLES_PER_CELL = 16;
const MAX_CELLS = 30;
const CHANGE_PROBABILITY = 0.07;

function startsRegime(noise: DemoRandom, cell: number): boolean {
  return cell % MAX_CELLS === 0 || noise.uniform("regime_start", cell) < CHANGE_PROBABILITY;
}

/** The regime of an M15 candle, from the noise and its index since the epoch: no state is kept between candles. */
export function demoRegimeAt(noise: DemoRandom, candleIndex: number): DemoRegime {
  let cell = Math.floor(candleIndex / CANDLES_PER_CELL);
  while (!startsRegime(noise, cell)) cell--;
  const draw = noise.uniform("regime_kind", cell);
  if (draw < 0.3) return "TREND_UP";
  if (draw < 0.6) return "TREND_DOWN";
  return draw < 0.85 ? "RANGE" : "VOLATILE";
}
