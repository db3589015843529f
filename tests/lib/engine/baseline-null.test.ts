import { describe, expect, it } from "vitest";
import { DirectionEvidence } from "@/lib/engine/direction-evidence";
import { REGIME_TREND_DOWN, REGIME_TREND_UP, REGIMES } from "@/lib/engine/regime";
import { type CandleSeries, makeCandleSeries } from "@/lib/market/candles";
import { maxHistoryStartsInThreeYears } from "@/lib/models/producer/baseline-block";
import { CAUTION_SETTINGS } from "@/lib/settings/caution";
import { EDGE_WALKS, firstDirectionIndex } from "@/tests/research/baseline-walks";
import { runBaselineNull } from "@/tests/support/baseline-null";

const REGIME_RANGE = REGIMES.indexOf("RANGE");
describe("the baseline", () => {
  it("the baseline gives no direction on any of 48 driftless walks of up to three years", async () => {
    expect(await runBaselineNull(6)).toEqual({ walks: 48, directed: [] });
  }, 120_000);

  it("the baseline gives its first direction on trending walks after more than 200 candles", () => {
    const trending = EDGE_WALKS.find(({ name }) => name === "trend of 0.2")!;
    for (const seed of [1, 2])
      expect(firstDirectionIndex(trending, seed, CAUTION_SETTINGS.usual)).toBeGreaterThan(200);
  }, 60_000);
});

describe("maxHistoryStartsInThreeYears", () => {
  it("maxHistoryStartsInThreeYears is 10 for M15, 2 for H1, and 1 for H4 and D1", () => {
    expect((["M15", "H1", "H4", "D1"] as const).map(maxHistoryStartsInThreeYears)).toEqual([10, 2, 1, 1]);
  });
});

describe("the evidence for a direction", () => {
  /**
   * Candles of one regime that each close `step` higher, with barriers so distant that only the horizon closes a
   * position.
   */
  const rising = (step: number, n: number) =>
    makeCandleSeries(
      Array.from({ length: n }, (_, i) => {
        const close = 100 + i * step;
        return {
          ts: i,
          open: close - step,
          high: Math.max(close, close - step),
          low: Math.min(close, close - step),
          close,
          volume: 1,
        };
      }),
    );
  const RULE = { thresholdR: 0, expectedRr: 1 };
  const take = (candles: CandleSeries, regime: number, distance: number, costR: number, rule = RULE) => {
    const evidence = new DirectionEvidence(rule);
    while (evidence.taken < candles.ts.length) evidence.add(candles, regime, distance, costR);
    return evidence;
  };

  it("the evidence for a direction is the product over candles of 1 + stake x gain / 12, averaged over the stakes", () => {
    // Two open positions: the first gains 0.1 R twice, the second once.
    const evidence = take(rising(1, 3), REGIME_RANGE, 10, 0);
    const wealth = [0.04, 0.08, 0.16, 0.32].map(
      (stake) => (1 + (stake * 0.1) / 12) * (1 + (stake * 0.2) / 12),
    );
    expect(evidence.of(REGIME_RANGE, 0)).toBeCloseTo(wealth.reduce((a, b) => a + b) / 4, 12);
    expect(evidence.of(REGIME_RANGE, 1)).toBeLessThan(1);
    expect(evidence.of(REGIME_TREND_UP, 0)).toBe(1);
  });

  it("the evidence for a direction pools BUY in uptrends with SELL in downtrends", () => {
    const up = take(rising(1, 30), REGIME_TREND_UP, 10, 0);
    const down = take(rising(-1, 30), REGIME_TREND_DOWN, 10, 0);
    expect(up.of(REGIME_TREND_UP, 0)).toBeGreaterThan(1);
    expect(up.of(REGIME_TREND_DOWN, 1)).toBe(up.of(REGIME_TREND_UP, 0));
    expect(down.of(REGIME_TREND_UP, 0)).toBeCloseTo(up.of(REGIME_TREND_UP, 0), 9);
    expect(up.of(REGIME_TREND_UP, 1)).toBeLessThan(1);
  });

  it("the evidence for a direction counts the stop when one candle reaches both barriers, and subtracts the cost", () => {
    const candles = makeCandleSeries(
      [0, 1].map((ts) => ({ ts, open: 100, high: 120, low: 80, close: 100, volume: 1 })),
    );
    const evidence = take(candles, REGIME_RANGE, 10, 0.1);
    // At the second close both first positions have lost 1, and two more open.
    const wealth = [0.04, 0.08, 0.16, 0.32].map(
      (stake) => (1 - (stake * 0.1) / 12) * (1 - (stake * 1.1) / 12),
    );
    for (const direction of [0, 1])
      expect(evidence.of(REGIME_RANGE, direction)).toBeCloseTo(wealth.reduce((a, b) => a + b) / 4, 12);
  });

  it("the evidence for a direction grows only by gains above the threshold, and stays 1 at a cost of 0.6 R", () => {
    expect(
      take(rising(0, 40), REGIME_RANGE, 10, 0, { thresholdR: 0.05, expectedRr: 1 }).of(REGIME_RANGE, 0),
    ).toBeLessThan(1);
    expect(
      take(rising(0, 40), REGIME_RANGE, 10, 0, { thresholdR: -0.5, expectedRr: 1 }).of(REGIME_RANGE, 0),
    ).toBeGreaterThan(1);
    expect(take(rising(1, 40), REGIME_RANGE, 10, 0.6).of(REGIME_RANGE, 0)).toBe(1);
  });
});
