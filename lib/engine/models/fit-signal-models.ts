import { type Breathe, withoutPause } from "@/lib/engine/breathe";
import { NO_TRADE } from "@/lib/engine/classes";
import { at } from "@/lib/engine/column";
import type { FeatureTable } from "@/lib/engine/features";
import { type Matrix, takeColumns } from "@/lib/engine/matrix";
import { type BoostedTrees, fitBoostedTrees } from "./boosted-trees";
import { fitPreparation, type Preparation, prepareRows } from "./preparation";
import { predictSignalModel, type Recipe, type SignalModel } from "./signal-model";
import { fitSoftmaxRegression, predictSoftmaxRegression, type SoftmaxRegression } from "./softmax-regression";

export interface FitSettings {
  /** Candles left out between training and what comes after: the horizon, and an embargo on top. */
  purgeCandles: number;
  /** Share of the training window, its end, on which inner choices are made. */
  selectionShare: number;
  /** Training rows at most; beyond, every k-th candle is used. Labels overlap, so that little is lost. */
  maxRows: number;
  /** Strengths of the data tried for movement; 0 learns nothing. */
  moveStrengths: readonly number[];
  /** Strengths tried for direction. */
  directionStrengths: readonly number[];
  trees: {
    maxRounds: number;
    patience: number;
    maxBins: number;
    maxDepth: number;
    minSamplesLeaf: number;
    l2: number;
    learningRate: number;
  };
}

export const FIT_SETTINGS: Readonly<FitSettings> = {
  purgeCandles: 60,
  selectionShare: 0.2,
  maxRows: 20_000,
  moveStrengths: [0.01, 0.003, 0.001, 0.0003],
  directionStrengths: [0, 0.0001, 0.0003, 0.001],
  trees: {
    maxRounds: 250,
    patience: 15,
    maxBins: 64,
    maxDepth: 3,
    minSamplesLeaf: 100,
    l2: 10,
    learningRate: 0.08,
  },
};

/** What was chosen inside the training window. */
export interface InnerChoices {
  moveStrength: number;
  directionStrength: number;
  treeRounds: number;
}

export interface FittedModels {
  models: Map<Recipe, SignalModel>;
  choices: InnerChoices;
  /** Class frequencies of the training window: BUY, SELL, NO_TRADE. */
  classFrequencies: [number, number, number];
  /** Candles of the selection part, and each recipe's forecasts there by models that had not seen them. */
  selection: { rows: Int32Array; probs: Map<Recipe, Float64Array> };
}

/**
 * Fits every recipe on the candles [firstIndex, endIndex) of a table.
 *
 * Inner choices first: models fitted on the early part are scored, by log-loss, on the last `selectionShare` beyond a
 * purged gap; strengths and the number of boosting rounds come from there. Then all is fitted on the whole window.
 *
 * @param labels class per candle; those of the window must be final, i.e. the caller ends it a horizon before the
 *   first candle it may not know
 */
export function fitSignalModels(input: {
  table: FeatureTable;
  labels: ArrayLike<number>;
  firstIndex: number;
  endIndex: number;
  recipes: readonly Recipe[];
  settings?: FitSettings;
  breathe?: Breathe;
}): FittedModels {
  const {
    table,
    labels,
    firstIndex,
    endIndex,
    recipes,
    settings = FIT_SETTINGS,
    breathe = withoutPause,
  } = input;
  const cut = Math.floor(firstIndex + (endIndex - firstIndex) * (1 - settings.selectionShare));
  const early = new TrainingWindow(table, labels, firstIndex, cut - settings.purgeCandles, settings, breathe);
  const selectionRows = decidedRows(labels, cut, endIndex);
  const choices = chooseInside(early, selectionRows, recipes, settings);
  const probs = new Map<Recipe, Float64Array>();
  for (const recipe of recipes) {
    probs.set(recipe, predictSignalModel(early.fit(recipe, choices), table, selectionRows));
  }
  const whole = new TrainingWindow(table, labels, firstIndex, endIndex, settings, breathe, early);
  return {
    models: new Map(recipes.map((recipe) => [recipe, whole.fit(recipe, choices)])),
    choices,
    classFrequencies: classFrequencies(labels, whole.rows),
    selection: { rows: selectionRows, probs },
  };
}

/** Candles of [from, to) whose class is known. */
export function decidedRows(labels: ArrayLike<number>, from: number, to: number): Int32Array {
  const rows: number[] = [];
  for (let i = from; i < to; i++) if ((labels[i] ?? -1) >= 0) rows.push(i);
  return Int32Array.from(rows);
}

/** Shares of the three classes among some candles; a third each when there are none. */
export function classFrequencies(
  labels: ArrayLike<number>,
  rows: ArrayLike<number>,
): [number, number, number] {
  const counts: [number, number, number] = [0, 0, 0];
  for (let r = 0; r < rows.length; r++) {
    const label = labels[rows[r] ?? 0];
    if (label === 0 || label === 1 || label === 2) counts[label]++;
  }
  const n = counts[0] + counts[1] + counts[2];
  return n === 0 ? [1 / 3, 1 / 3, 1 / 3] : [counts[0] / n, counts[1] / n, counts[2] / n];
}

/** One stretch of training candles, prepared once; parts that several recipes share are fitted once. */
class TrainingWindow {
  readonly rows: Int32Array;
  readonly preparation: Preparation;
  readonly x: Matrix;
  readonly move: Int8Array;
  private readonly thinned: Int32Array;
  private readonly logistics = new Map<number, SoftmaxRegression>();
  private readonly directions = new Map<number, SoftmaxRegression>();
  private trees: BoostedTrees | null = null;
  private classes: SoftmaxRegression | undefined;

  constructor(
    private readonly table: FeatureTable,
    private readonly labels: ArrayLike<number>,
    firstIndex: number,
    endIndex: number,
    private readonly settings: FitSettings,
    private readonly breathe: Breathe,
    /** A window fitted before, whose regressions are good places to start from. */
    private readonly earlier?: TrainingWindow,
  ) {
    this.rows = decidedRows(labels, firstIndex, endIndex);
    const stride = Math.max(1, Math.ceil(this.rows.length / settings.maxRows));
    this.thinned = this.rows.filter((_, i) => i % stride === 0);
    this.preparation = fitPreparation(table, this.rows, labels);
    this.x = prepareRows(this.preparation, table, this.thinned);
    this.move = Int8Array.from(this.thinned, (row) => (labels[row] === NO_TRADE ? 0 : 1));
  }

  fit(recipe: Recipe, choices: InnerChoices): SignalModel {
    if (recipe === "softmax") {
      const y = Int8Array.from(this.thinned, (row) => this.labels[row] ?? NO_TRADE);
      const start = this.earlier?.classes;
      this.classes = fitSoftmaxRegression(this.x, y, {
        classes: 3,
        strength: choices.moveStrength,
        ...(start && { start }),
        breathe: this.breathe,
      });
      const { classes } = this;
      return { recipe, preparation: this.preparation, classes };
    }
    return {
      recipe,
      preparation: this.preparation,
      moveLogistic: recipe === "trees" ? null : this.moveLogistic(choices.moveStrength),
      moveTrees: recipe === "logistic" ? null : this.moveTrees(choices.treeRounds),
      direction: this.direction(choices.directionStrength),
      oddColumns: this.oddColumns(),
    };
  }

  moveLogistic(strength: number): SoftmaxRegression {
    const known = this.logistics.get(strength);
    if (known !== undefined) return known;
    const start = [...this.logistics.values()].at(-1) ?? this.earlier?.logistics.get(strength);
    const fitted = fitSoftmaxRegression(this.x, this.move, {
      classes: 2,
      strength,
      ...(start && { start }),
      breathe: this.breathe,
    });
    this.logistics.set(strength, fitted);
    return fitted;
  }

  /** Trees with a number of rounds. */
  moveTrees(rounds: number): BoostedTrees {
    if (this.trees?.rounds.length === rounds) return this.trees;
    this.trees = fitBoostedTrees(this.x, this.move, {
      ...this.settings.trees,
      classes: 2,
      maxRounds: rounds,
      breathe: this.breathe,
    });
    return this.trees;
  }

  /** How many rounds a later sample asks for; the trees are kept. */
  stoppedRounds(later: { x: Matrix; move: Int8Array }): number {
    const { patience, ...options } = this.settings.trees;
    const stopping = { x: later.x, y: later.move, patience };
    this.trees = fitBoostedTrees(
      this.x,
      this.move,
      { ...options, classes: 2, breathe: this.breathe },
      stopping,
    );
    return this.trees.rounds.length;
  }

  direction(strength: number): SoftmaxRegression {
    const known = this.directions.get(strength);
    if (known !== undefined) return known;
    const rows = this.thinned.filter((row) => this.labels[row] !== NO_TRADE);
    const x = takeColumns(prepareRows(this.preparation, this.table, rows), this.oddColumns());
    const y = Int8Array.from(rows, (row) => this.labels[row] ?? 0);
    const fitted = fitSoftmaxRegression(x, y, {
      classes: 2,
      strength,
      withIntercepts: false,
      breathe: this.breathe,
    });
    this.directions.set(strength, fitted);
    return fitted;
  }

  /** Later candles seen through this window's preparation. */
  later(rows: Int32Array): { x: Matrix; move: Int8Array; directionX: Matrix; direction: Int8Array } {
    const directional = rows.filter((row) => this.labels[row] !== NO_TRADE);
    return {
      x: prepareRows(this.preparation, this.table, rows),
      move: Int8Array.from(rows, (row) => (this.labels[row] === NO_TRADE ? 0 : 1)),
      directionX: takeColumns(prepareRows(this.preparation, this.table, directional), this.oddColumns()),
      direction: Int8Array.from(directional, (row) => this.labels[row] ?? 0),
    };
  }

  oddColumns(): number[] {
    return this.table.definitions.flatMap(({ parity }, j) => (parity === "odd" ? [j] : []));
  }
}

function chooseInside(
  early: TrainingWindow,
  selectionRows: Int32Array,
  recipes: readonly Recipe[],
  settings: FitSettings,
): InnerChoices {
  const later = early.later(selectionRows);
  const moveStrength = best(settings.moveStrengths, (strength) =>
    logLoss(predictSoftmaxRegression(early.moveLogistic(strength), later.x), later.move),
  );
  const directionStrength = best(settings.directionStrengths, (strength) =>
    logLoss(predictSoftmaxRegression(early.direction(strength), later.directionX), later.direction),
  );
  const needsTrees = recipes.includes("trees") || recipes.includes("blend");
  const treeRounds = needsTrees ? early.stoppedRounds(later) : 0;
  return { moveStrength, directionStrength, treeRounds };
}

/** The candidate of lowest loss; of equals the first. */
function best(candidates: readonly number[], lossOf: (candidate: number) => number): number {
  let chosen = candidates[0] ?? 0;
  let lowest = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const loss = lossOf(candidate);
    if (loss < lowest) [chosen, lowest] = [candidate, loss];
  }
  return chosen;
}

/** Mean log-loss of two-class probabilities, n x 2; 0 without cases. */
function logLoss(probs: Float64Array, y: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < y.length; i++) sum -= Math.log(Math.max(at(probs, 2 * i + (y[i] ?? 0)), 1e-15));
  return y.length === 0 ? 0 : sum / y.length;
}
