import { describe, expect, it } from "vitest";
import { wilderAtr } from "@/lib/engine/atr";
import { BUY, NO_TRADE, SELL, UNKNOWN_CLASS } from "@/lib/engine/classes";
import { type CostRule, defaultCostRule, tradingCost } from "@/lib/engine/costs";
import { labelCandles, levelDistances, OUTCOME_RULE, outcomeAtDistance } from "@/lib/engine/outcome";
import type { CandleSeries } from "@/lib/market/candles";
import { randomWalk } from "./synthetic";
import { seriesOf, vectorCandles, vectors } from "./vectors";

const FREE: CostRule = { kind: "absolute", value: 0 };

const flatRow = [100, 100.5, 99.5, 100];
const flatRows = (n: number) => Array.from({ length: n }, () => flatRow);

/** Twenty candles of range 1 around 100, so that ATR(14) = 1 and D = 2, followed by the rows given. */
function afterQuietStart(rows: number[][]) {
  return { candles: seriesOf([...flatRows(20), ...rows]), index: 19 };
}

/** Like `afterQuietStart`, followed by quiet candles until the horizon is over. */
function overTheHorizon(rows: number[][]) {
  return afterQuietStart([...rows, ...flatRows(OUTCOME_RULE.horizonCandles - rows.length)]);
}

describe("labelCandles", () => {
  it("labelCandles matches the reference for 1 x ATR and 24 candles", () => {
    const { label, touchIndex } = labelCandles(vectorCandles, {
      atrPeriod: 14,
      atrMultiple: 1,
      horizonCandles: 24,
    });
    const classOf: Record<string, number> = { B: BUY, S: SELL, T: NO_TRADE, A: NO_TRADE };
    const { start, outcome, candles } = vectors.labels;
    for (const [i, letter] of [...outcome].entries()) {
      expect(label[start + i], `candle ${start + i}`).toBe(classOf[letter]);
      expect(touchIndex[start + i]).toBe(letter === "T" ? -1 : start + i + candles[i]!);
    }
  });

  it("labelCandles leaves a candle undecided without ATR or with an open horizon", () => {
    const { candles } = afterQuietStart([]);
    const { label } = labelCandles(candles);
    expect(label[0]).toBe(UNKNOWN_CLASS);
    expect(label[19]).toBe(UNKNOWN_CLASS);
  });

  it("labelCandles gives BUY and SELL equal shares on a driftless walk, and NO_TRADE 15 to 55 %", () => {
    const { label } = labelCandles(randomWalk({ n: 20_000, seed: 11 }));
    const share = (k: number) => label.filter((l) => l === k).length / label.length;
    expect(Math.abs(share(BUY) - share(SELL))).toBeLessThan(0.03);
    expect(share(NO_TRADE)).toBeGreaterThan(0.15);
    expect(share(NO_TRADE)).toBeLessThan(0.55);
  });

  it("labelCandles ignores candles after the horizon", () => {
    const candles = randomWalk({ n: 400, seed: 5 });
    const { label } = labelCandles(candles);
    const cut = 300;
    const garbled = {
      ...candles,
      high: candles.high.slice(),
      low: candles.low.slice(),
      close: candles.close.slice(),
    };
    for (let i = cut + 1; i < 400; i++) {
      garbled.high[i] = 1e9;
      garbled.low[i] = 1e-9;
      garbled.close[i] = 17;
    }
    const changed = labelCandles(garbled).label;
    for (let i = 0; i <= cut - OUTCOME_RULE.horizonCandles; i++) expect(changed[i]).toBe(label[i]);
  });
});

/** The outcome at the rule's distance for the candle, as the service resolves its signals. */
function resolve(signal: { candles: CandleSeries; index: number; expectedRr: number; cost: CostRule }) {
  const atr = wilderAtr(signal.candles, OUTCOME_RULE.atrPeriod);
  const distance = OUTCOME_RULE.atrMultiple * atr[signal.index]!;
  return outcomeAtDistance({ ...signal, distance, rule: OUTCOME_RULE });
}

describe("outcomeAtDistance", () => {
  it("a position gains the reward/risk ratio less cost at the target, and loses at the stop", () => {
    const { candles, index } = overTheHorizon([
      [100, 102, 99.9, 101.9],
      [101.9, 103.2, 101.5, 103],
    ]);
    const outcome = resolve({
      candles,
      index,
      expectedRr: 1.5,
      cost: { kind: "absolute", value: 0.2 },
    });
    expect(outcome).toMatchObject({
      ruleVersion: "1",
      entryPrice: 100,
      label: "BUY",
      labelTs: candles.ts[20],
      buy: { exitReason: "TP", exitPrice: 103, endedIndex: 21, grossR: 1.5 },
      sell: { exitReason: "SL", exitPrice: 102, endedIndex: 20, grossR: -1 },
    });
    if (outcome === null || outcome === "no_history") throw new Error("resolved");
    expect(outcome.barrierDistance).toBeCloseTo(2, 12);
    expect(outcome.buy.netR).toBeCloseTo(1.4, 12);
    expect(outcome.sell.netR).toBeCloseTo(-1.1, 12);
  });

  it("a position with own levels ends at the open of a candle beyond its stop, and one without them at the stop", () => {
    const { candles, index } = overTheHorizon([[95, 96, 94, 95]]);
    const levels = levelDistances("BUY", 100, { stop: 99, target: null, horizonCandles: 12 })!;
    expect(outcomeAtDistance({ candles, index, ...levels, cost: FREE })).toMatchObject({
      ruleVersion: "levels-1",
      buy: { exitReason: "SL", exitPrice: 95, grossR: -5 },
    });
    expect(resolve({ candles, index, expectedRr: 1, cost: FREE })).toMatchObject({
      buy: { exitReason: "SL", exitPrice: 98, grossR: -1 },
    });
  });

  it("a candle that reaches both barriers stops a BUY and a SELL, and has the class NO_TRADE", () => {
    const { candles, index } = overTheHorizon([[100, 102.5, 97.5, 100]]);
    expect(resolve({ candles, index, expectedRr: 1, cost: FREE })).toMatchObject({
      label: "NO_TRADE",
      labelTs: candles.ts[20],
      buy: { exitReason: "SL", grossR: -1 },
      sell: { exitReason: "SL", grossR: -1 },
    });
  });

  it("a position ends at the last close of the horizon when no barrier is touched", () => {
    const { candles, index } = afterQuietStart([
      ...flatRows(11),
      [100, 101, 99.5, 100.5],
      [100, 110, 90, 100],
    ]);
    expect(resolve({ candles, index, expectedRr: 1, cost: FREE })).toMatchObject({
      label: "NO_TRADE",
      labelTs: null,
      buy: { exitReason: "TIMEOUT", exitPrice: 100.5, endedIndex: 31, grossR: expect.closeTo(0.25, 9) },
      sell: { exitReason: "TIMEOUT", exitPrice: 100.5, endedIndex: 31, grossR: expect.closeTo(-0.25, 9) },
    });
  });

  it("the outcome stays open until the whole horizon has closed, even after a touch", () => {
    const rows = [[100, 102.5, 97.5, 100], ...flatRows(OUTCOME_RULE.horizonCandles - 1)];
    const before = afterQuietStart(rows.slice(0, -1));
    expect(resolve({ ...before, expectedRr: 1, cost: FREE })).toBeNull();
    expect(labelCandles(before.candles).label[before.index]).toBe(UNKNOWN_CLASS);
    const after = afterQuietStart(rows);
    expect(resolve({ ...after, expectedRr: 1, cost: FREE })).toMatchObject({ label: "NO_TRADE" });
    expect(labelCandles(after.candles).label[after.index]).toBe(NO_TRADE);
  });

  it("the outcome is no_history with fewer than 14 candles or for prices that never move", () => {
    const candles = randomWalk({ n: 100, seed: 2 });
    expect(resolve({ candles, index: 12, expectedRr: 1, cost: FREE })).toBe("no_history");
    expect(resolve({ candles, index: 13, expectedRr: 1, cost: FREE })).not.toBe("no_history");
    const dead = seriesOf(Array.from({ length: 40 }, () => [5, 5, 5, 5]));
    expect(resolve({ candles: dead, index: 20, expectedRr: 1, cost: FREE })).toBe("no_history");
  });

  it("the class of an outcome equals that of labelCandles on every candle of a random walk", () => {
    const candles = randomWalk({ n: 600, seed: 9 });
    const { label } = labelCandles(candles);
    for (let index = 13; index < 588; index++) {
      const outcome = resolve({ candles, index, expectedRr: 1, cost: FREE });
      if (outcome === null || outcome === "no_history") throw new Error("the horizon is over");
      expect(["BUY", "SELL", "NO_TRADE"][label[index]!]).toBe(outcome.label);
    }
  });
});

describe("trading costs", () => {
  it("the trading cost is fixed for EURUSD, a fraction of the price for a symbol starting with BTC, and zero for unknown ones", () => {
    expect(tradingCost(defaultCostRule("EURUSD"), 1.1)).toBe(0.00008);
    expect(tradingCost(defaultCostRule("BTCUSDT"), 50_000)).toBeCloseTo(10, 9);
    expect(tradingCost(defaultCostRule("ABCXYZ"), 12)).toBe(0);
    expect(tradingCost(defaultCostRule("constructor"), 12)).toBe(0);
  });
});
