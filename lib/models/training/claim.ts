import type { Evaluation } from "@/lib/engine/evaluation";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";

const Z95 = 1.959963984540054;

/** The figures that a model is expected to reach, from its walk-forward, with 95 % intervals (`Lo` to `Hi`). */
export interface ClaimedModelFigures {
  /** Number of forecasts in the walk-forward whose class is known. */
  n: number;
  /** 1 - Brier score of the model / that of the class frequencies. No interval (null) for fewer than two forecasts. */
  skill: number;
  skillLo: number | null;
  skillHi: number | null;
  ece: number;
  eceLo: number;
  eceHi: number;
  /** Share of BUY and SELL among the signals that the service would have given. */
  directionalShare: number;
  directionalShareLo: number;
  directionalShareHi: number;
  /**
   * Maximum drawdown of following these signals, after costs, in R. It grows with their number, so it has no interval.
   */
  maxDrawdownR: number;
}

/**
 * The expected figures of a recipe from its walk-forward; every figure is out of sample.
 *
 * Interval of the skill: from the test of the mean difference, which allows for serial correlation. Interval of the
 * ECE: plus or minus the 95 % quantile of the ECE of perfect forecasts. Interval of the share of directions: Wilson's,
 * with one independent candle per horizon.
 */
export function claimedModelFiguresOf(evaluation: Evaluation): ClaimedModelFigures {
  const { n, brier, brierBaseline, skillTest, calibration, eceNoise, noTradeShare, followed } = evaluation;
  const skillEnd = (way: number) =>
    skillTest === null ? null : (skillTest.mean + way * Z95 * skillTest.standardError) / brierBaseline;
  const ece = calibration.ece ?? 0;
  const share = 1 - noTradeShare;
  const [shareLo, shareHi] = wilsonInterval(share, n / OUTCOME_RULE.horizonCandles);
  return {
    n,
    skill: 1 - brier / brierBaseline,
    skillLo: skillEnd(-1),
    skillHi: skillEnd(1),
    ece,
    eceLo: Math.max(0, ece - eceNoise),
    eceHi: ece + eceNoise,
    directionalShare: share,
    directionalShareLo: shareLo,
    directionalShareHi: shareHi,
    maxDrawdownR: followed[0]?.maxDrawdownR ?? 0,
  };
}
