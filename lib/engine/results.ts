import type { CandleSeries } from "@/lib/market/candles";
import { wilderAtr } from "./atr";
import { elementOrNaN } from "./column";
import { type CostRule, tradingCost } from "./costs";
import { OUTCOME_RULE, type OutcomeRule, outcomeAtDistance } from "./outcome";

/** Results of following each direction from each candle, for one reward/risk ratio. */
export interface ResultColumns {
  expectedRr: number;
  /** Gross result in R per candle; NaN if unknown. */
  buyR: Float64Array;
  sellR: Float64Array;
  /** Index of the candle in which the position ended; -1 if unknown. */
  buyEnd: Int32Array;
  sellEnd: Int32Array;
}

/** Costs per candle, and the results for each reward/risk ratio of a grid. */
export interface SlotResults {
  /** Cost of a round trip in R per candle; NaN without ATR, not finite at an ATR of 0. */
  costR: Float64Array;
  byRatio: ResultColumns[];
}

/**
 * Results of following each direction from every candle by the outcome rule, before costs. The cost is a separate
 * column, so that reports can double it.
 *
 * @param ratios reward/risk ratios, each above 0
 */
export function slotResults(
  candles: CandleSeries,
  cost: CostRule,
  ratios: readonly number[],
  rule: OutcomeRule = OUTCOME_RULE,
): SlotResults {
  const atr = wilderAtr(candles, rule.atrPeriod);
  const free: CostRule = { kind: "absolute", value: 0 };
  const n = candles.ts.length;
  const costR = Float64Array.from(candles.close, (close, i) => {
    return tradingCost(cost, close) / (rule.atrMultiple * elementOrNaN(atr, i));
  });
  const byRatio = ratios.map((expectedRr): ResultColumns => {
    const columns: ResultColumns = {
      expectedRr,
      buyR: new Float64Array(n).fill(Number.NaN),
      sellR: new Float64Array(n).fill(Number.NaN),
      buyEnd: new Int32Array(n).fill(-1),
      sellEnd: new Int32Array(n).fill(-1),
    };
    for (let index = 0; index < n; index++) {
      const distance = rule.atrMultiple * elementOrNaN(atr, index);
      const outcome = outcomeAtDistance({ candles, index, distance, expectedRr, cost: free, rule });
      if (outcome === null || outcome === "no_history") continue;
      columns.buyR[index] = outcome.buy.grossR;
      columns.sellR[index] = outcome.sell.grossR;
      columns.buyEnd[index] = outcome.buy.endedIndex;
      columns.sellEnd[index] = outcome.sell.endedIndex;
    }
    return columns;
  });
  return { costR, byRatio };
}
