/**
 * `npm run engine -- train|backtest|report [--data DIR] [--slot EURUSD/H1] [--out DIR] [--json]`: the models on candle files.
 *
 * backtest prints the walk-forward of every slot; report prints the same and writes a page per slot; train writes the
 * champion of every slot as JSON. DIR holds `{SYMBOL}_{TIMEFRAME}.csv[.gz]`, CANDLES_DIR when not given.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { defaultCostRule } from "../engine/costs";
import type { Evaluation } from "../engine/evaluation";
import { featureImportance, type Recipe } from "../engine/models/signal-model";
import { reportPage } from "../engine/report/page";
import { textReport } from "../engine/report/summary";
import { fitFinal, prepareSlot, type SlotTraining, trainSlot } from "../engine/train";
import { WALK_FORWARD_SETTINGS } from "../engine/walk-forward";
import { timeframeMinutes } from "../market/timeframes";
import { Progress } from "./engine/progress";
import { listSlotFiles, readSlotFile, type SlotFile, slotName } from "./engine/slot-files";

const ACTIONS = ["train", "backtest", "report"] as const;
const USAGE =
  "usage: npm run engine -- train|backtest|report [--data DIR] [--slot SYMBOL/TF] [--out DIR] [--json]";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: "string" },
    slot: { type: "string" },
    out: { type: "string" },
    json: { type: "boolean" },
  },
});
const action = ACTIONS.find((name) => name === positionals[0]);
// The one command that may run without a configured service: its candles come from a directory.
const directory = values.data ?? process.env.CANDLES_DIR;
if (action === undefined || directory === undefined) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}

const slots = listSlotFiles(directory).filter(
  (slot) => values.slot === undefined || slotName(slot) === values.slot.toUpperCase(),
);
if (slots.length === 0) {
  process.stderr.write(`no candle files${values.slot ? ` for ${values.slot}` : ""} in ${directory}\n`);
  process.exit(1);
}

const progress = new Progress(slots.length * WALK_FORWARD_SETTINGS.folds);
for (const slot of slots) await run(slot);

async function run(slot: SlotFile): Promise<void> {
  const startedMs = performance.now();
  const minutes = timeframeMinutes(slot.timeframe);
  const candles = await readSlotFile(slot);
  const sample = prepareSlot(candles, minutes, defaultCostRule(slot.symbol));
  const training = trainSlot({
    sample,
    timeframeMinutes: minutes,
    current: "baseline",
    slots: slots.length,
    retraining: 1,
    onFold: () => progress.step(slotName(slot)),
  });
  progress.clear();
  const shown = shownEvaluation(training);
  if (values.json !== true) process.stdout.write(`${textReport(slotName(slot), shown, training.decision)}\n`);
  if (action === "report") {
    const record = training.walk.records.find((r) => r.recipe === shown.recipe);
    if (record === undefined) throw new Error(`no record of ${shown.recipe}`);
    const final =
      training.trained ??
      fitFinal({ sample, timeframeMinutes: minutes, recipe: shown.recipe, walk: training.walk });
    const page = reportPage({
      slot: slotName(slot),
      walk: training.walk,
      record,
      evaluation: shown,
      others: [...training.evaluations.values()].filter((e) => e !== shown),
      decision: training.decision,
      results: sample.results,
      importance: featureImportance(final.model, sample.table),
      tsOfRow: (row) => candles.ts[row] ?? 0,
    });
    write(`${slot.symbol}_${slot.timeframe}.html`, page);
  }
  if (action === "train" && training.trained !== null) {
    write(`${slot.symbol}_${slot.timeframe}.json`, JSON.stringify(training.trained));
  }
  if (values.json === true) {
    const evaluations = [...training.evaluations.values()];
    const { champion, change, reason } = training.decision;
    const line = { slot: slotName(slot), candles: candles.ts.length, champion, change, reason, evaluations };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    return;
  }
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const megabytes = (process.resourceUsage().maxRSS / 1024).toFixed(0);
  process.stdout.write(`  ${candles.ts.length} candles in ${seconds} s, peak memory ${megabytes} MB\n`);
}

/** The champion's figures, or where the baseline stays those of the challenger of lowest Brier score. */
function shownEvaluation(training: SlotTraining): Evaluation {
  const byBrier = [...training.evaluations.values()].sort((a, b) => a.brier - b.brier);
  const champion = training.decision.champion;
  const chosen = champion === "baseline" ? byBrier[0] : training.evaluations.get(champion satisfies Recipe);
  if (chosen === undefined) throw new Error("a training evaluates at least one recipe");
  return chosen;
}

function write(name: string, content: string): void {
  const folder = values.out ?? "engine-reports";
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, content);
  process.stdout.write(`  wrote ${path}\n`);
}
