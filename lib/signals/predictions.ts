import type { z } from "zod";
import { db } from "@/db/client";
import { type PredictionDay, summarizePredictions } from "@/db/queries/signal-windows";
import { narrowScope, type Scope } from "@/lib/access/plans";
import { writeBody } from "@/lib/api/answer";
import { windowCache } from "@/lib/runtime/window-cache";
import { Predictions } from "@/lib/wire/contracts/signals";
import { roundFigure } from "@/lib/wire/round";

const DAY_MS = 86_400_000;

interface PredictionsRequest {
  scope: Scope;
  /** Version of the signals when the key was checked. */
  version: number;
  symbol: string | undefined;
  timeframe: string | undefined;
  days: number;
  limit: number;
}

/** What was predicted in the last days, per slot, model and date: the body of `/api/history/predictions`. */
export function getPredictionsBody(wanted: PredictionsRequest, now: Date): Promise<string> {
  const { days, limit } = wanted;
  const scope = narrowScope(wanted.scope, wanted);
  return windowCache<string>("predictions").get(
    `${scope.id}|${days}|${limit}`,
    wanted.version,
    now,
    async () => {
      const since = new Date(now.getTime() - days * DAY_MS);
      const found = await summarizePredictions(db(), { scope, since, limit });
      const body: z.output<typeof Predictions> = {
        days,
        count: found.days.length,
        items: found.days.map(predictionItem),
      };
      const validUntil = found.earliestClose && new Date(found.earliestClose.getTime() + days * DAY_MS);
      return { value: writeBody(Predictions, body), validUntil };
    },
  );
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
