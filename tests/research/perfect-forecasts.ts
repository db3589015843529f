import type { ForecastColumns } from "@/db/queries/track-record";
import { wilderAtr } from "@/lib/engine/atr";
import { elementOrNaN } from "@/lib/engine/column";
import { labelCandles, OUTCOME_RULE } from "@/lib/engine/outcome";
import { uniformSource } from "@/lib/engine/random";
import { type CandleSeries, makeCandleSeries } from "@/lib/market/candles";
import { HOUR_MS } from "@/lib/time";
import { normalSource } from "@/tests/lib/engine/normal-source";

const { horizonCandles, atrMultiple, atrPeriod } = OUTCOME_RULE;
/** Steps of the random walk per candle, and its standard deviation over a candle, in price. */
const STEPS = 6;
const SIGMA = 0.1;
const WARM_UP = 60;
const PATHS = 6000;
/** Distances, in standard deviations of a candle, at which the true probability is counted. */
const NEAREST = 1.6;
const DISTANCES = Array.from({ length: 24 }, (_, i) => NEAREST + 0.2 * i);

type Window = [ForecastColumns, ...ForecastColumns[]];

/**
 * Makes windows of perfect forecasts with what happened, as a slot's models made them. The market is a walk with equal
 * independent steps, on which the chance of NO_TRADE depends on the barriers' distance alone: it is counted once.
 *
 * @returns a function: candles in the window, candles of each version of the model, seed of the walk
 */
export function perfectForecasts(): (n: number, perModel: number, seed: number) => Window {
  const quietAt = countQuiet();
  const trueQuiet = (distance: number) => {
    const place = Math.min(Math.max((distance - NEAREST) / 0.2, 0), DISTANCES.length - 1.001);
    const [i, part] = [Math.floor(place), place % 1];
    return (1 - part) * (quietAt[i] ?? 0) + part * (quietAt[i + 1] ?? 0);
  };
  return (n, perModel, seed) => {
    const candles = equalSteps(WARM_UP + n + horizonCandles, seed);
    const atr = wilderAtr(candles, atrPeriod);
    const { label } = labelCandles(candles);
    const probs = Float64Array.from({ length: 3 * n }, (_, k) => {
      const no = trueQuiet((atrMultiple * elementOrNaN(atr, WARM_UP + Math.floor(k / 3))) / SIGMA);
      return k % 3 === 2 ? no : (1 - no) / 2;
    });
    // -1: the candle has no class, because its horizon is not complete or its ATR is not known.
    const labels = Uint8Array.from({ length: n }, (_, i) => {
      const known = label[WARM_UP + i] ?? -1;
      return known < 0 ? 2 : known;
    });
    const version = (from: number): ForecastColumns => {
      const to = Math.min(n, from + perModel);
      return {
        slotId: 1,
        symbol: "EURUSD",
        timeframe: "H4",
        // Version names do not sort by time.
        modelV: `m-${(7 * from) % 1000}`,
        classFreq: [0.3, 0.3, 0.4],
        earliestClose: new Date(0),
        probs: probs.slice(3 * from, 3 * to),
        labels: labels.slice(from, to),
        closesS: Float64Array.from({ length: to - from }, (_, i) => 14_400 * (from + i)),
        ids: Float64Array.from({ length: to - from }, (_, i) => from + i),
      };
    };
    const later = Array.from({ length: Math.ceil(n / perModel) - 1 }, (_, k) => version((k + 1) * perModel));
    const [first, ...rest] = [version(0), ...later].toSorted((a, b) => (a.modelV < b.modelV ? -1 : 1));
    return [first ?? version(0), ...rest];
  };
}

const normalOf = (seed: number) => normalSource(uniformSource(seed));

function equalSteps(n: number, seed: number): CandleSeries {
  const normal = normalOf(seed);
  let price = 1000;
  return makeCandleSeries(
    Array.from({ length: n }, (_, i) => {
      const open = price;
      let [high, low] = [open, open];
      for (let k = 0; k < STEPS; k++) {
        price += (SIGMA * normal()) / Math.sqrt(STEPS);
        high = Math.max(high, price);
        low = Math.min(low, price);
      }
      return { ts: i * HOUR_MS, open, high, low, close: price, volume: 1 };
    }),
  );
}

/** For each of the distances, the share of walks that touch no barrier, or both in one candle before either alone. */
function countQuiet(): number[] {
  const normal = normalOf(77);
  const quiet = DISTANCES.map(() => 0);
  for (let path = 0; path < PATHS; path++) {
    let price = 0;
    const touches: ("none" | "one" | "both")[] = DISTANCES.map(() => "none");
    for (let candle = 0; candle < horizonCandles; candle++) {
      let [high, low] = [price, price];
      for (let k = 0; k < STEPS; k++) {
        price += normal() / Math.sqrt(STEPS);
        high = Math.max(high, price);
        low = Math.min(low, price);
      }
      DISTANCES.forEach((d, i) => {
        if (touches[i] === "none" && (high >= d || low <= -d)) {
          touches[i] = high >= d && low <= -d ? "both" : "one";
        }
      });
    }
    touches.forEach((touch, i) => {
      if (touch !== "one") quiet[i] = (quiet[i] ?? 0) + 1;
    });
  }
  return quiet.map((count) => count / PATHS);
}
