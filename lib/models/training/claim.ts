import type { Evaluation } from "@/lib/engine/evaluation";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";

const Z95 = 1.959963984540054;

/** Expected figures of a model, from its walk-forward, with 95 % intervals. */
export interface Claim {
  n: number;
  skill: number;
  skillLo: number | null;
  skillHi: number | null;
  ece: number;
  eceLo: number;
  eceHi: number;
  directionalShare: number;
  directionalShareLo: number;
  directionalShareHi: number;
  /** Maximum drawdown of the walk-forward's results. It grows with their number, so it has no interval. */
  maxDrawdownR: number;
}

/**
 * The claim of a recipe from its walk-forward; every figure is out of sample.
 *
 * Skill: from the test of the mean difference, which allows for serial correlation. ECE: plus or minus what
 * perfect forecasts show by chance. Share of directions: Wilson's interval with one independent candle per
 * horizon.
 */
export function claimOf(evaluation: Evaluation): Claim {
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
