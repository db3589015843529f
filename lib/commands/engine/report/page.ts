import type { ChampionDecision } from "@/lib/engine/champion";
import type { CostRule } from "@/lib/engine/costs";
import {
  type AlternativeScores,
  type Evaluation,
  type FollowedSummary,
  followedSignals,
} from "@/lib/engine/evaluation";
import { RECIPES } from "@/lib/engine/models/recipes";
import type { SlotResults } from "@/lib/engine/results";
import type { TableScores } from "@/lib/engine/table-scores";
import type { RecipeRecord, WalkForward } from "@/lib/engine/walk-forward";
import { count, escapeHtml } from "./chart";
import { equityFigure, importanceFigure, reliabilityFigure, rollingAucFigure } from "./figures";
import { onlineText, verdict } from "./summary";
import { percent, table } from "./table";

/** Everything one slot's page is made of. */
export interface ReportInput {
  slot: string;
  walk: WalkForward;
  /** The champion's record, or the best challenger's where the baseline stays. */
  record: RecipeRecord;
  evaluation: Evaluation;
  others: Evaluation[];
  decision: ChampionDecision;
  results: SlotResults;
  cost: CostRule;
  table: TableScores;
  /** The same forecasts otherwise calibrated. */
  alternatives: readonly AlternativeScores[];
  importance: { name: string; share: number }[];
  /** Open time of a candle, epoch ms. */
  tsOfRow: (row: number) => number;
}

/** One self-contained HTML page about a slot: no script, nothing from other hosts. */
export function reportPage(input: ReportInput): string {
  const { slot, walk, record, evaluation: e, decision, results, importance, tsOfRow } = input;
  const day = (row: number | undefined) => new Date(tsOfRow(row ?? 0)).toISOString().slice(0, 10);
  const followed = followedSignals(walk, record, results, "policy");
  const all = followedSignals(walk, record, results, "forecast");
  const span = { fromMs: tsOfRow(walk.rows[0] ?? 0), toMs: tsOfRow(walk.rows.at(-1) ?? 0) };
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(slot)}: model report</title><style>${STYLE}</style></head><body><main>
<h1>${escapeHtml(slot)}</h1>
<p class="verdict">${escapeHtml(verdict(e, decision, input.cost))}</p>
<p>Judged on ${count(e.n)} candles from ${day(walk.rows[0])} to ${day(walk.rows.at(-1))}, each forecast by models that had seen
only candles before it. ${escapeHtml(champion(decision, e))}</p>
<h2>Scores</h2>${scoresTable(e, input)}
<h2>Are the probabilities true?</h2>${reliabilityFigure(e.calibration)}
<h2>What following it would have brought</h2>
${followedTable({ "As signalled": e.followed, "Every forecast beyond its cost": e.allForecasts })}
${equityFigure("Signals as given", followed, tsOfRow, span)}
${equityFigure("Every forecast beyond its cost", all, tsOfRow, span)}
<h2>Does it last?</h2>${rollingAucFigure(walk, record, tsOfRow)}
<h2>What it looks at</h2>${importanceFigure(importance)}
<h2>The challengers</h2>${challengerTable([e, ...input.others])}
<p>R is the barrier distance, 2 x ATR(14); every followed signal risks 1 R, overlapping ones too.
Intervals are 95 % and allow for overlapping signals (Newey-West with 48 lags, blocks of 120 candles). Past results say little about the future; ${input.cost.value === 0 ? "the costs of this symbol are not known, and all results are before costs" : "costs are those of the symbol's table"}.</p>
</main></body></html>
`;
}

function champion(decision: ChampionDecision, e: Evaluation): string {
  const shown = `Shown: ${e.recipe} (${RECIPES[e.recipe].meaning}).`;
  return decision.champion === "baseline"
    ? `The baseline, the hour-and-regime table, stays in place. ${shown}`
    : shown;
}

function scoresTable(
  e: Evaluation,
  { table: own, alternatives }: Pick<ReportInput, "table" | "alternatives">,
): string {
  const auc = (estimate: Evaluation["aucDirection"]) =>
    estimate === null
      ? "none"
      : `${estimate.auc.toFixed(3)} (${estimate.interval[0].toFixed(3)} to ${estimate.interval[1].toFixed(3)}, n ${count(estimate.n)})`;
  const rows: [string, string, string, string][] = [
    ["Brier score, 0 to 2", e.brier.toFixed(4), own.brier.toFixed(4), e.brierBaseline.toFixed(4)],
    [
      "Skill over the class frequencies",
      `${e.skillPct.toFixed(2)} % (t = ${(e.skillTest?.t ?? 0).toFixed(1)})`,
      `${own.ownSkillPct.toFixed(2)} %`,
      "0 %",
    ],
    [
      "Skill over the hour-and-regime table",
      `${own.skillPct.toFixed(2)} % (t = ${(own.skillTest?.t ?? 0).toFixed(1)})`,
      "0 %",
      "",
    ],
    [
      "Calibration error",
      `${(e.calibration.ece ?? 0).toFixed(4)} (chance alone: up to ${e.eceNoise.toFixed(4)})`,
      (own.ece ?? 0).toFixed(4),
      "",
    ],
    ["AUC, will it move", auc(e.aucNoTrade), auc(own.aucNoTrade), "0.500"],
    ["AUC, which way", auc(e.aucDirection), "", "0.500"],
    ["NO_TRADE", percent(e.noTradeShare), "", "100.0 %"],
    ["Classes BUY, SELL, NO_TRADE", e.classShares.map(percent).join(", "), "", ""],
    ["Online calibration", onlineText(e.online), "", ""],
    ...alternatives.map((a): [string, string, string, string] => [
      ALTERNATIVES[a.name],
      `Brier ${a.brier.toFixed(4)}, calibration error ${(a.ece ?? 0).toFixed(4)}`,
      "",
      "",
    ]),
  ];
  return table(["", "Model", "Hour-and-regime table", "Class frequencies"], rows);
}

const ALTERNATIVES: Readonly<Record<AlternativeScores["name"], string>> = {
  raw: "Without calibration",
  anchored: "Calibrated always",
  temperature: "Calibrated by temperature",
};

function followedTable(ways: Record<string, readonly FollowedSummary[]>): string {
  const rows = Object.entries(ways).flatMap(([way, summaries]) =>
    summaries.map((f) => (f.n === 0 ? [way, costs(f), "0"] : followedRow(way, f))),
  );
  const head = [
    "Followed",
    "Cost",
    "n",
    "Independent",
    "Profit factor",
    "95 %",
    "Each",
    "Won",
    "95 %",
    "Drawdown",
  ];
  return table(head, rows);
}

function costs({ costTimes }: FollowedSummary): string {
  return costTimes === 1 ? "once" : `${costTimes} times`;
}

function followedRow(way: string, f: FollowedSummary): string[] {
  return [
    way,
    costs(f),
    count(f.n),
    count(f.nIndependent),
    f.profitFactor === null ? "no losses" : f.profitFactor.toFixed(3),
    f.profitFactorInterval === null ? "" : f.profitFactorInterval.map((x) => x.toFixed(3)).join(" to "),
    `${f.expectancyR.toFixed(4)} R`,
    percent(f.winRate),
    f.winRateInterval.map(percent).join(" to "),
    `${f.maxDrawdownR.toFixed(1)} R`,
  ];
}

function challengerTable(evaluations: readonly Evaluation[]): string {
  return table(
    ["Recipe", "What it is", "Skill", "t", "Calibration error", "AUC which way"],
    evaluations.map((e) => [
      e.recipe,
      RECIPES[e.recipe].meaning,
      `${e.skillPct.toFixed(2)} %`,
      (e.skillTest?.t ?? 0).toFixed(1),
      (e.calibration.ece ?? 0).toFixed(4),
      e.aucDirection?.auc.toFixed(3) ?? "none",
    ]),
  );
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#667080;--rule:#d9dde3;--accent:#0b6e4f;--second:#b4540a;--paper:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e7eaee;--soft:#98a2b0;--rule:#333a44;--accent:#4cc39a;--second:#f0a35e;--paper:#14171b}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:2.5rem 1rem 4rem}
h1{margin:0 0 1rem}h2{margin:3rem 0 .5rem;font-size:1.15rem}
.verdict{font-size:1.15rem;border-left:4px solid var(--accent);padding-left:1rem}
.scroll{overflow-x:auto;margin:.5rem 0 1rem}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums;width:100%}
th,td{text-align:left;vertical-align:baseline;padding:.4rem 1rem .4rem 0;border-bottom:1px solid var(--rule)}
th{color:var(--soft);font-weight:500;white-space:nowrap}
.number{text-align:right;white-space:nowrap}th:last-child,td:last-child{padding-right:0}
figure{margin:1rem 0}svg{width:100%;height:auto}figcaption,.empty{color:var(--soft);font-size:.85rem}
.grid{stroke:var(--rule)}.zero{stroke:var(--soft)}.tick{fill:var(--soft);font-size:11px}
polyline{fill:none;stroke-width:1.6}.series{stroke:var(--accent)}.second{stroke:var(--second);stroke-dasharray:5 4}
.drawdown{fill:var(--soft);opacity:.25}.name{font-size:12px}.name.series{stroke:none;fill:var(--accent)}.name.second{stroke:none;fill:var(--second)}.name.soft{fill:var(--soft)}.reference{stroke:var(--soft);stroke-dasharray:2 4}.dot{fill:var(--accent);opacity:.75}
.bar{width:50%;min-width:8rem}.bar span{display:block;height:.7rem;background:var(--accent);border-radius:2px}
`;
