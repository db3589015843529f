import type { BaselineScores } from "@/lib/engine/baseline-scores";
import type { ChampionDecision } from "@/lib/engine/champion";
import type { CostRule } from "@/lib/engine/costs";
import type { AlternativeCalibrationScores, Evaluation, FollowedSummary } from "@/lib/engine/evaluation";
import type { CalibrationByTime, CalibrationTimeGroup } from "@/lib/engine/scores/calibration-by-time";

/** The summary in a slot's report: plain sentences about what the model can and cannot do. */
export function slotReportSummary(
  evaluation: Evaluation,
  decision: ChampionDecision,
  cost: CostRule,
): string {
  const { skillPct, skillTest, aucDirection, followed } = evaluation;
  if (decision.champion === "baseline") {
    return "No model has been shown to forecast this slot better than the plain class frequencies; it keeps the baseline.";
  }
  const movement =
    `It can tell when the price is likely to move: its probabilities are ${skillPct.toFixed(1)} % better than the ` +
    `class frequencies (t = ${(skillTest?.t ?? 0).toFixed(1)}).`;
  const [low, high] = aucDirection?.interval ?? [0, 1];
  const auc = aucDirection?.auc ?? 0.5;
  const bound = followed[0]?.profitFactorInterval?.[0] ?? 0;
  const range = `AUC ${auc.toFixed(3)}, 95 % ${low.toFixed(3)} to ${high.toFixed(3)}`;
  const free = cost.value === 0;
  const n = followed[0]?.n ?? 0;
  if (bound > 1) {
    const earned = free
      ? "earned something out of sample before costs; the costs of this symbol are unknown, so the result after costs is too"
      : "earned more than they cost out of sample";
    return `${movement} The directions it followed ${earned} (${range}).`;
  }
  const direction =
    low > 0.5
      ? `It leans the right way slightly more often than chance (${range}), which has not been shown to pay`
      : `It cannot tell which way (${range})`;
  const gave =
    n === 0
      ? "it gave no direction at all, only NO_TRADE"
      : `it gave ${n} directions, ${(100 * (1 - evaluation.noTradeShare)).toFixed(1)} % of its signals, and they have not been shown to earn anything${free ? "" : " after costs"}`;
  const unknown = free ? " The costs of this symbol are not known: results are before costs." : "";
  return `${movement} ${direction}; ${gave}.${unknown}`;
}

/** The training report of one slot, as several lines of plain text for the terminal. */
export function textReport(
  slot: string,
  evaluation: Evaluation,
  decision: ChampionDecision,
  about: { cost: CostRule; table: BaselineScores; alternatives: readonly AlternativeCalibrationScores[] },
): string {
  const e = evaluation;
  const [buy, sell, no] = e.classShares;
  const auc = (estimate: Evaluation["aucDirection"]) =>
    estimate === null
      ? "none"
      : `${estimate.auc.toFixed(3)} [${estimate.interval.map((x) => x.toFixed(3)).join(", ")}] n ${estimate.n}`;
  return [
    `${slot}  ${decision.champion === "baseline" ? "baseline kept" : `champion ${decision.champion}`} (figures: ${e.recipe}, n ${e.n}, out of sample)`,
    `  ${slotReportSummary(e, decision, about.cost)}`,
    `  classes BUY ${share(buy)} SELL ${share(sell)} NO_TRADE ${share(no)}`,
    `  Brier ${e.brier.toFixed(4)}, class frequencies ${e.brierBaseline.toFixed(4)}: skill ${e.skillPct.toFixed(2)} %, t ${(e.skillTest?.t ?? 0).toFixed(1)}`,
    `  hour-and-regime table, which a model replaces: Brier ${about.table.brier.toFixed(4)}, ECE ${(about.table.ece ?? 0).toFixed(4)}; the model against it: skill ${about.table.skillPct.toFixed(2)} %, t ${(about.table.skillTest?.t ?? 0).toFixed(1)}`,
    `  ECE ${(e.calibration.ece ?? 0).toFixed(4)}, by chance up to ${e.eceNoise.toFixed(4)}; ${about.alternatives
      .map((a) => `${a.name}: ECE ${(a.ece ?? 0).toFixed(4)} Brier ${a.brier.toFixed(4)}`)
      .join("; ")}`,
    `  NO_TRADE by New York hour ${calibrationByTimeText(e.clock.hours, (hour) => `${hour} h`)}`,
    `  NO_TRADE by weekday ${calibrationByTimeText(e.clock.weekdays, (day) => WEEKDAYS[day] ?? "")}`,
    `  online calibration ${onlineCalibrationText(e.online)}`,
    `  AUC direction ${auc(e.aucDirection)}; NO_TRADE ${auc(e.aucNoTrade)}`,
    ...e.followed.map((f) => `  followed, cost x${f.costTimes}: ${followedText(f)}`),
    ...e.allForecasts.map((f) => `  every forecast beyond cost, cost x${f.costTimes}: ${followedText(f)}`),
    `  NO_TRADE ${share(e.noTradeShare)}; ${decision.reason}`,
  ].join("\n");
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

/** Calibration error of P(NO_TRADE) by hour or weekday, and where it is largest if chance does not explain it. */
export function calibrationByTimeText(
  { groups, error, byChance }: CalibrationByTime,
  name: (place: number) => string,
): string {
  const gap = ({ said, came }: CalibrationTimeGroup) => said - came;
  const [most] = groups.toSorted((a, b) => Math.abs(gap(b)) - Math.abs(gap(a)));
  if (most === undefined || error === null) return "unknown";
  const points = (x: number) => (100 * x).toFixed(2);
  const average = `off by ${points(error)} points on average, by chance up to ${points(byChance)}`;
  // Some group always has the largest error. It is named only if the average exceeds chance.
  if (error <= byChance) return average;
  return `${average}; most at ${name(most.place)}: said ${share(most.said)}, came ${share(most.came)} (n ${most.n})`;
}

/** The effect of the online calibration, in words. */
export function onlineCalibrationText(online: Evaluation["online"]): string {
  const { a, b, c1, c2, d, meanShiftPct, maxShiftPct, gainTest } = online;
  return (
    `moved P(move) by ${meanShiftPct.toFixed(2)} points on average, at most by ${maxShiftPct.toFixed(1)}; ` +
    `it ends at logit p' = ${a.toFixed(3)} + ${b.toFixed(3)} logit p + ${c1.toFixed(3)} sin + ${c2.toFixed(3)} cos of the New York time of day, ` +
    `${d.toFixed(3)} on weekends; ` +
    `Brier score ${(gainTest?.mean ?? 0) < 0 ? "higher" : "lower"} by ${Math.abs(gainTest?.mean ?? 0).toFixed(5)} (t ${(gainTest?.t ?? 0).toFixed(1)})`
  );
}

/** The results of followed signals, in one line. */
function followedText(f: FollowedSummary): string {
  if (f.n === 0) return "none";
  const factor = f.profitFactor === null ? "no losses" : f.profitFactor.toFixed(3);
  const interval =
    f.profitFactorInterval === null ? "" : ` [${f.profitFactorInterval.map((x) => x.toFixed(3)).join(", ")}]`;
  return (
    `n ${f.n} (${f.nIndependent} independent), profit factor ${factor}${interval}, ` +
    `${f.expectancyR.toFixed(4)} R each, win rate ${share(f.winRate)} ` +
    `[${f.winRateInterval.map(share).join(", ")}], drawdown ${f.maxDrawdownR.toFixed(1)} R`
  );
}

function share(x: number): string {
  return `${(100 * x).toFixed(1)} %`;
}
