import { NO_TRADE } from "@/lib/engine/classes";
import { elementOrNaN } from "@/lib/engine/column";
import type { FeatureTable } from "@/lib/engine/features";
import { type Matrix, stackRows, takeColumns, withMagnitudes } from "@/lib/engine/matrix";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import type { PauseHook } from "@/lib/engine/pause-hook";
import { type BoostedTrees, fitBoostedTrees } from "./boosted-trees";
import type { FitSettings } from "./fit-settings";
import { fitSoftmaxRegression } from "./fit-softmax-regression";
import { type PoolSlot, rowsFinalAt, rowsPerPoolSlot } from "./pool";
import { fitPreparation, type Preparation, prepareRows } from "./preparation";
import type { SoftmaxRegression } from "./softmax-regression";
import { rowsWithKnownClass, sampleRowsEvenly } from "./training-rows";

/** A pool slot with fewer rows whose class is known is left out. */
const MIN_POOL_ROWS = 500;

/** The data on which models are fitted: features and classes of the slot's candles, and the pool of other slots. */
export interface LearningSample {
  table: FeatureTable;
  labels: ArrayLike<number>;
  pool?: readonly PoolSlot[] | undefined;
}

/**
 * A range of training candles, prepared once, and the models that recipes fit on it. Models shared by recipes are
 * fitted once.
 */
export class TrainingWindow {
  readonly rows: Int32Array;
  readonly preparation: Preparation;
  /**
   * Inputs of the models of movement: the prepared columns, with magnitudes of the odd features, so that a mirrored
   * market gets the same movement.
   */
  readonly moveX: Matrix;
  readonly move: Int8Array;
  private readonly thinned: Int32Array;
  private readonly table: FeatureTable;
  private readonly labels: ArrayLike<number>;
  private readonly logistics = new Map<number, SoftmaxRegression>();
  private readonly directions = new Map<number, SoftmaxRegression>();
  private directional: { x: Matrix; y: Int8Array } | undefined;
  private trees: BoostedTrees | null = null;
  private threeClasses: SoftmaxRegression | undefined;

  constructor(
    private readonly sample: LearningSample,
    firstIndex: number,
    private readonly endIndex: number,
    private readonly settings: FitSettings,
    private readonly breathe: PauseHook,
    /** A smaller window, whose regressions of movement and of three classes, if fitted, are starting points. */
    private readonly earlier?: TrainingWindow,
  ) {
    const { table, labels } = sample;
    this.table = table;
    this.labels = labels;
    this.rows = rowsWithKnownClass(labels, firstIndex, endIndex);
    this.thinned = sampleRowsEvenly(this.rows, settings.maxRows);
    this.preparation = fitPreparation(table, this.rows, labels);
    this.moveX = withMagnitudes(prepareRows(this.preparation, table, this.thinned), this.oddColumns());
    this.move = movesOf(labels, this.thinned);
  }

  /** Fits a softmax regression over the three classes. */
  classes(strength: number): SoftmaxRegression {
    const y = Int8Array.from(this.thinned, (row) => this.labels[row] ?? NO_TRADE);
    const start = this.earlier?.threeClasses;
    const x = prepareRows(this.preparation, this.table, this.thinned);
    this.threeClasses = fitSoftmaxRegression(x, y, {
      classes: 3,
      strength,
      ...(start && { start }),
      breathe: this.breathe,
    });
    return this.threeClasses;
  }

  /** Logistic regression of whether the class is a direction (1) or NO_TRADE (0). */
  moveLogistic(strength: number): SoftmaxRegression {
    const known = this.logistics.get(strength);
    if (known !== undefined) return known;
    const start = [...this.logistics.values()].at(-1) ?? this.earlier?.logistics.get(strength);
    const fitted = fitSoftmaxRegression(this.moveX, this.move, {
      classes: 2,
      strength,
      ...(start && { start }),
      breathe: this.breathe,
    });
    this.logistics.set(strength, fitted);
    return fitted;
  }

  /** Boosted trees of whether the class is a direction (1) or NO_TRADE (0), with a fixed number of rounds. */
  moveTrees(rounds: number): BoostedTrees {
    if (this.trees?.rounds.length === rounds) return this.trees;
    this.trees = this.fitTrees(this.moveX, this.move, rounds);
    return this.trees;
  }

  /**
   * Boosted trees of whether the class is a direction (1) or NO_TRADE (0), fitted on this slot and the pool. A pool
   * slot contributes rows whose class was final when that of this window's last candle was, and is left out if it has
   * fewer than {@link MIN_POOL_ROWS} of them. Each slot contributes at most the same number of rows, normalised with the
   * means and deviations of all that it could contribute.
   */
  pooledTrees(rounds: number): BoostedTrees {
    const { pool = [] } = this.sample;
    const lastFinal = Math.min(
      this.endIndex - 1 + OUTCOME_RULE.horizonCandles,
      this.table.closesMs.length - 1,
    );
    const knownMs = elementOrNaN(this.table.closesMs, lastFinal);
    const others = pool
      .map((slot) => ({ ...slot, rows: rowsFinalAt(slot, knownMs) }))
      .filter(({ rows }) => rows.length >= MIN_POOL_ROWS);
    const share = rowsPerPoolSlot(this.settings, others.length + 1);
    const own = sampleRowsEvenly(this.rows, share);
    const parts = [
      { x: prepareRows(this.preparation, this.table, own), move: movesOf(this.labels, own) },
      ...others.map(({ table, labels, rows }) => {
        const preparation = fitPreparation(table, rows, labels);
        const some = sampleRowsEvenly(rows, share);
        return { x: prepareRows(preparation, table, some), move: movesOf(labels, some) };
      }),
    ];
    const moves = Int8Array.from(parts.flatMap(({ move }) => [...move]));
    const x = withMagnitudes(stackRows(parts.map((part) => part.x)), this.oddColumns());
    return this.fitTrees(x, moves, rounds);
  }

  /**
   * Fits boosted trees of movement until a later sample shows no more gain. Keeps them for `moveTrees`, and returns
   * their number of rounds.
   */
  stoppedRounds(later: { moveX: Matrix; move: Int8Array }): number {
    const { patience, ...options } = this.settings.trees;
    const stopping = { x: later.moveX, y: later.move, patience };
    this.trees = fitBoostedTrees(
      this.moveX,
      this.move,
      { ...options, classes: 2, breathe: this.breathe },
      stopping,
    );
    return this.trees.rounds.length;
  }

  /** Logistic regression of the direction, on the odd features only. */
  direction(strength: number): SoftmaxRegression {
    const known = this.directions.get(strength);
    if (known !== undefined) return known;
    this.directional ??= this.directionSample();
    const { x, y } = this.directional;
    const fitted = fitSoftmaxRegression(x, y, {
      classes: 2,
      strength,
      withIntercepts: false,
      breathe: this.breathe,
    });
    this.directions.set(strength, fitted);
    return fitted;
  }

  private directionSample(): { x: Matrix; y: Int8Array } {
    const rows = this.thinned.filter((row) => this.labels[row] !== NO_TRADE);
    return {
      x: takeColumns(prepareRows(this.preparation, this.table, rows), this.oddColumns()),
      y: Int8Array.from(rows, (row) => this.labels[row] ?? 0),
    };
  }

  /** Inputs and classes of later candles, prepared as those of this window. */
  later(rows: Int32Array): {
    moveX: Matrix;
    move: Int8Array;
    directionX: Matrix;
    direction: Int8Array;
  } {
    const directional = rows.filter((row) => this.labels[row] !== NO_TRADE);
    return {
      moveX: withMagnitudes(prepareRows(this.preparation, this.table, rows), this.oddColumns()),
      move: movesOf(this.labels, rows),
      directionX: takeColumns(prepareRows(this.preparation, this.table, directional), this.oddColumns()),
      direction: Int8Array.from(directional, (row) => this.labels[row] ?? 0),
    };
  }

  /** Indices of the odd features. */
  oddColumns(): number[] {
    return this.table.definitions.flatMap(({ parity }, j) => (parity === "odd" ? [j] : []));
  }

  private fitTrees(x: Matrix, move: Int8Array, rounds: number): BoostedTrees {
    return fitBoostedTrees(x, move, {
      ...this.settings.trees,
      classes: 2,
      maxRounds: rounds,
      breathe: this.breathe,
    });
  }
}

function movesOf(labels: ArrayLike<number>, rows: Int32Array): Int8Array {
  return Int8Array.from(rows, (row) => (labels[row] === NO_TRADE ? 0 : 1));
}
