import type { z } from "zod";
import type { FollowedOutcome, SignalCount } from "@/db/queries/track-record";
import { independentCount } from "@/lib/engine/scores/independent-count";
import { maxDrawdown, profitFactor } from "@/lib/engine/scores/results";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";
import type { TrackRecord } from "@/lib/wire/contracts/quality";
import { roundFigure } from "@/lib/wire/round";

type Resolved = FollowedOutcome & { resultR: number; buyR: number; sellR: number; endedMs: number };

/** Track record of one slot and model from its followed directions in a window. Amounts in R. Pure. */
export function trackRecordOf(count: SignalCount, followed: FollowedOutcome[]): z.output<typeof TrackRecord> {
  const resolved = followed.filter(isResolved);
  const results = resolved.map(({ resultR }) => resultR);
  const inOrderOfEnd = resolved.toSorted((a, b) => a.endedMs - b.endedMs || a.tsMs - b.tsMs);
  const totalR = results.reduce((sum, r) => sum + r, 0);
  const { wins, losses, rate } = winRate(results);
  const nIndependent = independentCount(
    resolved.map(({ closesMs, endedMs }) => ({ begin: closesMs, end: endedMs })),
  );
  const [lo, hi] = wilsonInterval(rate, nIndependent);
  const baseline = Math.max(
    winRate(resolved.map(({ buyR }) => buyR)).rate,
    winRate(resolved.map(({ sellR }) => sellR)).rate,
  );
  return {
    symbol: count.symbol,
    tf_code: count.timeframe,
    model_v: count.modelV,
    n_signals: count.n,
    n_directional: followed.length,
    n_resolved: resolved.length,
    n_wins: wins,
    n_losses: losses,
    win_rate_pct: roundFigure(100 * rate),
    win_rate_ci95: [roundFigure(100 * lo), roundFigure(100 * hi)],
    baseline_win_rate_pct: roundFigure(100 * baseline),
    profit_factor: roundFigure(profitFactor(results)),
    total_r: roundFigure(totalR),
    expectancy_r: resolved.length === 0 ? 0 : roundFigure(totalR / resolved.length),
    max_drawdown_r: roundFigure(maxDrawdown(inOrderOfEnd.map(({ resultR }) => resultR))),
    avg_confidence: roundFigure(mean(followed.map(({ confidence }) => confidence))),
    first_ts: instantOrNull(followed[0]?.tsMs),
    last_ts: instantOrNull(followed.at(-1)?.tsMs),
  };
}

function isResolved(outcome: FollowedOutcome): outcome is Resolved {
  return outcome.resultR !== null;
}

/** Wins and losses by sign, 0 is neither; the rate is 0 without any. */
function winRate(results: number[]): { wins: number; losses: number; rate: number } {
  const wins = results.filter((r) => r > 0).length;
  const losses = results.filter((r) => r < 0).length;
  return { wins, losses, rate: wins + losses === 0 ? 0 : wins / (wins + losses) };
}

function mean(values: number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function instantOrNull(ms: number | undefined): Date | null {
  return ms === undefined ? null : new Date(ms);
}
