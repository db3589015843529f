import { type Evaluation, followedSignals } from "@/lib/engine/evaluation";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import type { SlotResults } from "@/lib/engine/results";
import { drawdownInterval } from "@/lib/engine/scores/drawdown-interval";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";
import type { WalkForward } from "@/lib/engine/walk-forward";

const Z95 = 1.959963984540054;
const DRAWDOWN = { blockCandles: 120, runs: 400, seed: 1 } as const;

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
  maxDrawdownR: number;
  maxDrawdownRLo: number | null;
  maxDrawdownRHi: number | null;
}

/**
 * The claim of a recipe from its walk-forward; every figure is out of sample.
 *
 * Skill: from the test of the mean difference, which allows for serial correlation. ECE: plus or minus what
 * perfect forecasts show by chance. Share of directions: Wilson's interval with one independent candle per
 * horizon. Drawdown: over a stretch as long as the walk-forward, by resampling blocks of its results.
 */
export function claimOf(evaluation: Evaluation, walk: WalkForward, results: SlotResults): Claim {
  const { n, brier, brierBaseline, skillTest, calibration, eceNoise, noTradeShare, followed } = evaluation;
  const record = walk.records.find(({ recipe }) => recipe === evaluation.recipe);
  const signals = record === undefined ? [] : followedSignals(walk, record, results, "policy");
  const drawdown = drawdownInterval(
    signals.map(({ grossR, costR }) => grossR - costR),
    signals.map(({ row }) => row),
    DRAWDOWN,
  );
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
    maxDrawdownRLo: drawdown?.[0] ?? null,
    maxDrawdownRHi: drawdown?.[1] ?? null,
  };
}
