import type { z } from "zod";
import type { SignalCount } from "@/db/queries/signal-days";
import { countIndependentFrom, type IndependentChain } from "@/lib/engine/scores/independent-chain";
import type { ResultTally } from "@/lib/engine/scores/result-tally";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";
import type { TrackRecord } from "@/lib/wire/contracts/quality";
import { roundFigure } from "@/lib/wire/round";

/**
 * Track record of one slot and model over a window, from its signals and the results of following them. Results in R.
 */
export function trackRecordOf(
  count: SignalCount,
  { results, chain }: { results: ResultTally; chain: IndependentChain },
): z.output<typeof TrackRecord> {
  const rate = winRate(results.wins, results.losses);
  const [lo, hi] = wilsonInterval(rate, countIndependentFrom(chain, Number.NEGATIVE_INFINITY).kept);
  const baseline = Math.max(
    winRate(results.buyWins, results.buyLosses),
    winRate(results.sellWins, results.sellLosses),
  );
  return {
    symbol: count.symbol,
    tf_code: count.timeframe,
    model_v: count.modelV,
    n_signals: count.n,
    n_directional: count.nFollowed,
    n_resolved: results.n,
    n_wins: results.wins,
    n_losses: results.losses,
    win_rate_pct: roundFigure(100 * rate),
    win_rate_ci95: [roundFigure(100 * lo), roundFigure(100 * hi)],
    baseline_win_rate_pct: roundFigure(100 * baseline),
    profit_factor: roundFigure(results.lossR > 0 ? results.gainR / results.lossR : null),
    total_r: roundFigure(results.totalR),
    expectancy_r: results.n === 0 ? 0 : roundFigure(results.totalR / results.n),
    max_drawdown_r: roundFigure(results.drawdownR),
    avg_confidence: roundFigure(count.nFollowed === 0 ? null : count.followedConfidence / count.nFollowed),
    first_ts: count.firstFollowedTs,
    last_ts: count.lastFollowedTs,
  };
}

/** Share of wins among wins and losses; 0 if there are none. */
function winRate(wins: number, losses: number): number {
  return wins + losses === 0 ? 0 : wins / (wins + losses);
}
