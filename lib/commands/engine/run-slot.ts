import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scoreBaseline } from "@/lib/engine/baseline-scores";
import type { CostRule } from "@/lib/engine/costs";
import { type Evaluation, scoreAlternativeCalibrations } from "@/lib/engine/evaluation";
import type { PoolSlot } from "@/lib/engine/models/pool";
import type { WeeklyBrierGains } from "@/lib/engine/pooled-evidence";
import {
  MIN_TRAINING_CANDLES,
  makeSlotSample,
  type SlotTraining,
  trainAndSelectChampion,
} from "@/lib/engine/train";
import type { CandleSeries } from "@/lib/market/candles";
import { timeframeMinutes } from "@/lib/market/timeframes";
import type { Timeframe } from "@/lib/vocabulary";
import { textReport } from "./text-report";

/** A slot whose candles can be loaded, from files or the database. */
export interface SlotSource {
  symbol: string;
  timeframe: Timeframe;
  cost: CostRule;
  load(): Promise<CandleSeries>;
}

export interface RunOptions {
  /** Other slots of the same timeframe, from whose candles the model also learns. */
  pool: readonly PoolSlot[];
  action: "train" | "backtest";
  /** Output folder of models. */
  out: string;
  json: boolean;
  /** Number of slots in the run. */
  slots: number;
  /** Evidence of slots of the same timeframe that this run trained before, and the number of timeframes in the run. */
  alike: { evidence: readonly WeeklyBrierGains[]; timeframes: number };
  onFold: () => void;
  onTrained: () => void;
}

/** `SYMBOL/TF`, as on the command line. */
export function slotName(slot: { symbol: string; timeframe: string }): string {
  return `${slot.symbol}/${slot.timeframe}`;
}

/**
 * Runs and prints the walk-forward of one slot. The action `train` also writes the trained model to a file, if there is
 * one. Returns the slot's evidence; null: too few candles.
 */
export async function runSlotWalkForward(
  slot: SlotSource,
  options: RunOptions,
): Promise<WeeklyBrierGains | null> {
  const startedMs = performance.now();
  const processorBefore = process.cpuUsage();
  const minutes = timeframeMinutes(slot.timeframe);
  const candles = await slot.load();
  if (candles.ts.length < MIN_TRAINING_CANDLES) {
    options.onTrained();
    print(`${slotName(slot)}  left out: ${candles.ts.length} candles, ${MIN_TRAINING_CANDLES} are needed`);
    return null;
  }
  const sample = makeSlotSample(candles, minutes, slot.cost, options.pool);
  const training = trainAndSelectChampion({
    sample,
    timeframeMinutes: minutes,
    current: "baseline",
    slots: options.slots,
    alike: options.alike,
    onFold: options.onFold,
  });
  options.onTrained();
  if (options.action === "train" && training.trained !== null) {
    write(options.out, `${slot.symbol}_${slot.timeframe}.json`, JSON.stringify(training.trained));
  }
  if (options.json) {
    print(jsonLine(slot, candles, training));
    return training.evidence;
  }
  const { shown, ...about } = figuresOfReport(training, candles, slot.cost);
  print(textReport(slotName(slot), shown, training.decision, about));

  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const { user, system } = process.cpuUsage(processorBefore);
  const processor = ((user + system) / 1e6).toFixed(1);
  const megabytes = (process.resourceUsage().maxRSS / 1024).toFixed(0);
  print(
    `  ${candles.ts.length} candles in ${seconds} s (${processor} s of processor time), peak memory ${megabytes} MB`,
  );
  return training.evidence;
}

/**
 * The figures that a report shows: of the model, of the hour-and-regime table on the same candles, and of other
 * calibrations of the same forecasts.
 */
export function figuresOfReport(training: SlotTraining, candles: CandleSeries, cost: CostRule) {
  const shown = shownEvaluation(training);
  const record = training.walk.records.find((r) => r.recipe === shown.recipe);
  if (record === undefined) throw new Error(`no record of ${shown.recipe}`);
  return {
    shown,
    cost,
    table: scoreBaseline(candles, cost, training.walk, record),
    alternatives: scoreAlternativeCalibrations(training.walk, record),
  };
}

/**
 * The champion's figures; if the baseline is the champion, those of the evaluated recipe with the lowest Brier score.
 */
function shownEvaluation(training: SlotTraining): Evaluation {
  const byBrier = [...training.evaluations.values()].sort((a, b) => a.brier - b.brier);
  const { champion } = training.decision;
  const chosen = champion === "baseline" ? byBrier[0] : training.evaluations.get(champion);
  if (chosen === undefined) throw new Error("a training evaluates at least one recipe");
  return chosen;
}

function jsonLine(slot: SlotSource, candles: CandleSeries, training: SlotTraining): string {
  const { champion, change, reason } = training.decision;
  const evaluations = [...training.evaluations.values()];
  return JSON.stringify({
    slot: slotName(slot),
    candles: candles.ts.length,
    champion,
    change,
    reason,
    evaluations,
  });
}

function write(folder: string, name: string, content: string): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, content);
  print(`  wrote ${path}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
