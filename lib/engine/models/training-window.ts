import type { Breathe } from "@/lib/engine/breathe";
import { NO_TRADE } from "@/lib/engine/classes";
import type { FeatureTable } from "@/lib/engine/features";
import { type Matrix, takeColumns } from "@/lib/engine/matrix";
import { type BoostedTrees, fitBoostedTrees } from "./boosted-trees";
import { decidedRows } from "./decided-rows";
import type { FitSettings } from "./fit-settings";
import { fitSoftmaxRegression } from "./fit-softmax-regression";
import { fitPreparation, type Preparation, prepareRows } from "./preparation";
import type { SoftmaxRegression } from "./softmax-regression";

/**
 * One stretch of training candles, prepared once. It fits the parts that recipes are made of; a part that several
 * recipes share is fitted once.
 */
export class TrainingWindow {
  readonly rows: Int32Array;
  readonly preparation: Preparation;
  readonly x: Matrix;
  readonly move: Int8Array;
  private readonly thinned: Int32Array;
  private readonly logistics = new Map<number, SoftmaxRegression>();
  private readonly directions = new Map<number, SoftmaxRegression>();
  private trees: BoostedTrees | null = null;
  private threeClasses: SoftmaxRegression | undefined;

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

  /** Softmax regression over the three classes. */
  classes(strength: number): SoftmaxRegression {
    const y = Int8Array.from(this.thinned, (row) => this.labels[row] ?? NO_TRADE);
    const start = this.earlier?.threeClasses;
    this.threeClasses = fitSoftmaxRegression(this.x, y, {
      classes: 3,
      strength,
      ...(start && { start }),
      breathe: this.breathe,
    });
    return this.threeClasses;
  }

  /** Logistic regression of whether the market moves. */
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

  /** Boosted trees of whether the market moves, with a number of rounds. */
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

  /** Boosts until a later sample stops it; returns how many rounds that took and keeps the trees. */
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

  /** Logistic regression of the way it moves, on the odd features alone. */
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

  /** Numbers of the odd features. */
  oddColumns(): number[] {
    return this.table.definitions.flatMap(({ parity }, j) => (parity === "odd" ? [j] : []));
  }
}
