import { describe, expect, it } from "vitest";
import { BaselineMemory, produceBaselineSignals } from "@/lib/engine/baseline";
import { uniformSource } from "@/lib/engine/random";
import { classifyRegimes, REGIME_TREND_DOWN, REGIME_TREND_UP, REGIME_UNKNOWN } from "@/lib/engine/regime";
import { roundTriple } from "@/lib/engine/round-triple";
import { sliceCandles } from "@/lib/market/candles";
import { processorMsOf } from "@/tests/support/processor-time";
import { randomWalk } from "./synthetic";

const COST = { kind: "fraction", value: 0.0001 } as const;

/** A drift that is up, none, down and none for three days (72 candles) each. */
const trending = (strength: number) => (i: number) => strength * ([1, 0, -1, 0][Math.floor(i / 72) % 4] ?? 0);

const all = (candles: { ts: Float64Array }) => ({ fromIndex: 0, toIndex: candles.ts.length });

describe("the baseline producer", () => {
  it("the baseline gives NO_TRADE for at least 98 % of the candles of driftless walks", () => {
    let directional = 0;
    let total = 0;
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const candles = randomWalk({ n: 6000, seed });
      const drafts = produceBaselineSignals({ candles, ...all(candles), cost: COST });
      directional += drafts.filter((draft) => draft.signal !== "NO_TRADE").length;
      total += drafts.length;
    }
    expect(directional / total).toBeLessThan(0.02);
  });

  it("the baseline gives BUY only in uptrends and SELL only in downtrends", () => {
    const candles = randomWalk({ n: 6000, seed: 8, drift: trending(0.35) });
    const drafts = produceBaselineSignals({ candles, fromIndex: 3000, toIndex: 6000, cost: COST });
    const directional = drafts.filter((draft) => draft.signal !== "NO_TRADE");
    expect(directional.length).toBeGreaterThan(300);
    for (const { signal, regime } of directional) {
      expect(regime).toBe(signal === "BUY" ? "TREND_UP" : "TREND_DOWN");
    }
  });

  it("the baseline gives the same signals in eight steps with a memory as at once without, and refuses a step back", () => {
    const candles = randomWalk({ n: 3000, seed: 12, drift: trending(0.35) });
    const whole = produceBaselineSignals({ candles, ...all(candles), cost: COST });
    const memory = new BaselineMemory();
    const steps = [0, 5, 12, 13, 14, 900, 901, 2990, 3000];
    const pieces = steps.slice(1).flatMap((toIndex, i) =>
      produceBaselineSignals({
        candles: sliceCandles(candles, 0, toIndex),
        fromIndex: steps[i]!,
        toIndex,
        cost: COST,
        memory,
      }),
    );
    expect(pieces).toEqual(whole);
    expect(memory.fits(2998)).toBe(false);
    expect(() =>
      produceBaselineSignals({ candles, fromIndex: 2000, toIndex: 2001, cost: COST, memory }),
    ).toThrow(RangeError);
  });

  it("the baseline gives more directions with a lower threshold", () => {
    const candles = randomWalk({ n: 4000, seed: 21 });
    const directional = (thresholdR: number) =>
      produceBaselineSignals({ candles, ...all(candles), cost: COST, settings: { thresholdR } }).filter(
        (draft) => draft.signal !== "NO_TRADE",
      ).length;
    expect(directional(-0.3)).toBeGreaterThan(directional(0));
    expect(directional(-1)).toBeGreaterThan(directional(-0.3));
  });

  it("the baseline's probabilities have six decimals and sum to 1; its confidence is the signalled class's", () => {
    const candles = randomWalk({ n: 2000, seed: 6, drift: trending(0.4) });
    for (const draft of produceBaselineSignals({ candles, ...all(candles), cost: COST })) {
      const millionths = [draft.probBuy, draft.probSell, draft.probNo].map((p) => p * 1e6);
      for (const m of millionths) expect(Math.abs(m - Math.round(m))).toBeLessThan(1e-6);
      expect(millionths.map(Math.round).reduce((a, b) => a + b)).toBe(1_000_000);
      expect(draft.confidence).toBe(
        { BUY: draft.probBuy, SELL: draft.probSell, NO_TRADE: draft.probNo }[draft.signal],
      );
    }
  });

  it("the baseline's signals do not change when later candles of the series change", () => {
    const candles = randomWalk({ n: 3000, seed: 13, drift: trending(0.4) });
    const cut = 2400;
    const uniform = uniformSource(77);
    const garbled = structuredClone(candles);
    for (let i = cut + 1; i < 3000; i++) {
      const price = 1 + 1000 * uniform();
      garbled.open[i] = price;
      garbled.high[i] = price * 1.5;
      garbled.low[i] = price * 0.5;
      garbled.close[i] = price * (0.6 + 0.8 * uniform());
    }
    const range = { fromIndex: 0, toIndex: cut + 1, cost: COST };
    expect(produceBaselineSignals({ candles: garbled, ...range })).toEqual(
      produceBaselineSignals({ candles, ...range }),
    );
  });

  it("the baseline's signal of a candle is the same in a series that ends there and in a longer one", () => {
    const candles = randomWalk({ n: 1500, seed: 14 });
    const short = Object.fromEntries(
      Object.entries(candles).map(([name, column]) => [name, column.slice(0, 1200)]),
    ) as unknown as typeof candles;
    const range = { fromIndex: 1199, toIndex: 1200, cost: COST };
    expect(produceBaselineSignals({ candles: short, ...range })).toEqual(
      produceBaselineSignals({ candles, ...range }),
    );
  });

  it("the baseline processes 75,000 candles in less than 20 seconds of processor time", () => {
    const candles = randomWalk({ n: 75_000, seed: 30 });
    const tookMs = processorMsOf(() => produceBaselineSignals({ candles, ...all(candles), cost: COST }));
    console.info(`baseline over 75,000 candles: ${tookMs.toFixed(0)} ms`);
    // Takes less than a second.
    expect(tookMs).toBeLessThan(20_000);
  });
});

describe("classifyRegimes", () => {
  it("classifyRegimes detects rises and falls, and returns REGIME_UNKNOWN at the start", () => {
    const up = classifyRegimes(randomWalk({ n: 400, seed: 1, drift: () => 1 }));
    const down = classifyRegimes(randomWalk({ n: 400, seed: 1, drift: () => -1 }));
    expect(up[50]).toBe(REGIME_UNKNOWN);
    const share = (regimes: Uint8Array, regime: number) =>
      regimes.subarray(100).filter((r) => r === regime).length / 300;
    expect(share(up, REGIME_TREND_UP)).toBeGreaterThan(0.9);
    expect(share(down, REGIME_TREND_DOWN)).toBeGreaterThan(0.9);
  });
});

describe("roundTriple", () => {
  it("roundTriple rounds any probability triple to millionths that sum to exactly one million", () => {
    const uniform = uniformSource(5);
    for (let i = 0; i < 5000; i++) {
      const raw = [uniform(), uniform(), uniform()];
      const sum = raw[0]! + raw[1]! + raw[2]!;
      const triple = roundTriple([raw[0]! / sum, raw[1]! / sum, raw[2]! / sum]);
      expect(triple.map((p) => Math.round(p * 1e6)).reduce((a, b) => a + b)).toBe(1_000_000);
      for (const [k, p] of triple.entries()) expect(Math.abs(p - raw[k]! / sum)).toBeLessThan(1e-6);
    }
    expect(roundTriple([1 / 3, 1 / 3, 1 / 3])).toEqual([0.333334, 0.333333, 0.333333]);
  });

  it("roundTriple throws a RangeError for a triple that does not sum to 1 or contains NaN", () => {
    expect(() => roundTriple([0.5, 0.5, 0.5])).toThrow(RangeError);
    expect(() => roundTriple([Number.NaN, 0.5, 0.5])).toThrow(RangeError);
  });
});
