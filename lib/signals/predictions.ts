import type { z } from "zod";
import { type PredictionDay, summarizePredictions } from "@/db/queries/signal-days";
import type { Scope } from "@/lib/access/plans";
import type { ExpiringValue } from "@/lib/runtime/window-cache";
import { addDays } from "@/lib/time";
import type { Predictions } from "@/lib/wire/contracts/signals";
import { roundFigure } from "@/lib/wire/round";
import { readInOneSnapshot } from "./quality/read-in-one-snapshot";
import { withUnsummedSignals } from "./quality/read-sums";

/**
 * The signals in scope whose candle closed in the last `days` days, summed up by slot, model and date, newest date
 * first; at most `limit` sums. Unless signals are written, the result is valid at least until the oldest one leaves
 * this window.
 */
export async function listPredictions(
  scope: Scope,
  { days, limit }: { days: number; limit: number },
  now: Date,
): Promise<ExpiringValue<z.output<typeof Predictions>>> {
  const window = { scope, since: addDays(now, -days) };
  const { found } = await readInOneSnapshot({
    found: async (tx) => summarizePredictions(tx, { ...(await withUnsummedSignals(tx, window)), limit }),
  });
  return {
    value: { days, count: found.days.length, items: found.days.map(predictionItem) },
    validUntil: found.earliestClose && addDays(found.earliestClose, days),
  };
}

function predictionItem(day: PredictionDay): z.output<typeof Predictions>["items"][number] {
  return {
    date: day.date,
    symbol: day.symbol,
    tf_code: day.timeframe,
    model_v: day.modelV,
    n_total: day.n,
    n_buy: day.nBuy,
    n_sell: day.nSell,
    n_no_trade: day.nNoTrade,
    directional_pct: roundFigure((100 * (day.nBuy + day.nSell)) / day.n),
    avg_confidence: roundFigure(day.avgConfidence),
    avg_prob_buy: roundFigure(day.avgProbBuy),
    avg_prob_sell: roundFigure(day.avgProbSell),
    avg_prob_no: roundFigure(day.avgProbNo),
    avg_expected_rr: roundFigure(day.avgExpectedRr),
    regimes: day.regimes,
    first_ts: day.firstTs,
    last_ts: day.lastTs,
  };
}
