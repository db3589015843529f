import { uniformSource } from "@/lib/engine/random";
import { isMarketOpen } from "@/lib/market/calendar";
import { type CandleSeries, makeCandleSeries } from "@/lib/market/candles";
import { DAY_MS, HOUR_MS } from "@/lib/time";
import type { CalendarName } from "@/lib/vocabulary";
import { normalSource } from "@/tests/lib/engine/normal-source";

/** Steps of the walk within a candle: enough for a realistic ratio of range to body. */
const STEPS = 12;

/** Kinds of simulated walks, by their volatility. Only the option `edge` gives a walk a direction. */
export const WALK_KINDS = ["clustered", "two-speed"] as const;
export type WalkKind = (typeof WALK_KINDS)[number];

/** Options of a random walk of candles. */
export interface WalkOptions {
  /** Length of a candle. */
  hours?: number;
  /** Only these hours; every hour by default. */
  calendar?: CalendarName;
  /** Whether volatility has a daily rhythm. */
  hasRhythm?: boolean;
  /**
   * Drift of each candle in standard deviations: `trend` is up, down or none, drawn again after TREND_CANDLES candles
   * on average; `rise` is always up.
   */
  edge?: { kind: "trend" | "rise"; size: number };
}

/**
 * A random walk of candles, without drift unless an edge is set. `clustered`: volatility follows recent shocks, with
 * fat tails. `two-speed`: a slow and a fast volatility component and rare jumps. Both have a daily rhythm like real
 * candles, unless `hasRhythm` is false.
 */
export function simulateWalk(
  kind: WalkKind,
  n: number,
  seed: number,
  { hours = 1, calendar = "crypto", hasRhythm = true, edge }: WalkOptions = {},
): CandleSeries {
  const uniform = uniformSource(seed);
  const normal = normalSource(uniform);
  const volatility = kind === "clustered" ? clustered(uniform) : twoSpeed(normal);
  const driftOf = edge === undefined ? () => 0 : edgeOf(edge, uniformSource(seed + 1_000_000));
  let price = 100;
  const rows: Parameters<typeof makeCandleSeries>[0][number][] = [];
  for (let ts = Date.UTC(2015, 0, 5); rows.length < n; ts += hours * HOUR_MS) {
    if (!isMarketOpen(calendar, ts)) continue;
    const hour = Math.floor((ts % DAY_MS) / HOUR_MS);
    const activity = !hasRhythm ? 1 : hour >= 8 && hour < 17 ? 1.3 : 0.8;
    const scale = 0.001 * volatility.scale() * activity;
    const drift = driftOf() / STEPS;
    const jumpAt = kind === "two-speed" && uniform() < 0.004 ? Math.floor(STEPS * uniform()) : -1;
    const open = price;
    let [high, low, shock] = [open, open, 0];
    for (let k = 0; k < STEPS; k++) {
      const step = normal() / Math.sqrt(STEPS) + (k === jumpAt ? 3 * normal() : 0);
      shock += step;
      price *= Math.exp(scale * (step + drift));
      high = Math.max(high, price);
      low = Math.min(low, price);
    }
    volatility.follow(shock);
    rows.push({ ts, open, high, low, close: price, volume: 1 });
  }
  return makeCandleSeries(rows);
}

/** Mean number of candles until a trend draws its direction again, which may be the same. */
const TREND_CANDLES = 72;

function edgeOf(
  { kind, size }: { kind: "trend" | "rise"; size: number },
  uniform: () => number,
): () => number {
  let way = kind === "rise" ? 1 : 0;
  return () => {
    if (kind === "trend" && uniform() < 1 / TREND_CANDLES) way = Math.floor(3 * uniform()) - 1;
    return way * size;
  };
}

/** Volatility of the next candle, and the effect of its shock on later ones. */
interface Volatility {
  scale(): number;
  follow(shock: number): void;
}

function clustered(uniform: () => number): Volatility {
  let variance = 1;
  let tail = 1;
  return {
    scale: () => {
      tail = uniform() < 0.03 ? 2.5 : 0.95;
      return tail * Math.sqrt(variance);
    },
    follow: (shock) => {
      variance = 0.04 + 0.08 * (tail * shock) ** 2 * variance + 0.88 * variance;
    },
  };
}

function twoSpeed(normal: () => number): Volatility {
  let [slow, fast] = [0, 0];
  return {
    scale: () => Math.exp(slow + fast),
    follow: () => {
      slow = 0.9985 * slow + 0.02 * normal();
      fast = 0.93 * fast + 0.1 * normal();
    },
  };
}
