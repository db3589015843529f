import { elementOrNaN } from "@/lib/engine/column";
import { neverPause, type PauseHook } from "@/lib/engine/pause-hook";
import { type Binning, HISTOGRAM_CELL_SIZE } from "./binning";

/**
 * A regression tree as parallel arrays in depth-first order; a leaf has feature -1. A row goes left when x <=
 * threshold.
 */
export interface Tree {
  feature: number[];
  threshold: number[];
  left: number[];
  right: number[];
  value: number[];
  /** Loss reduction of each split, 0 at a leaf. A feature's importance is the sum over its splits. */
  gain: number[];
  count: number[];
}

export interface TreeOptions {
  maxDepth: number;
  minSamplesLeaf: number;
  /** L2 penalty on leaf values. */
  l2: number;
  learningRate: number;
  breathe?: PauseHook;
}

const MIN_HESSIAN = 1e-3;
const BREATH_ROWS = 2048;

/**
 * Grows trees of gradient boosting by histograms on one sample: leaf value = -learningRate x G / (H + l2),
 * gain of a split = GL^2/(HL+l2) + GR^2/(HR+l2) - G^2/(H+l2), with G and H the sums of gradients and
 * Hessians. It splits at the highest gain above 0; ties go to the first feature and its lowest threshold.
 * Buffers are allocated once for all trees.
 *
 * @see Chen and Guestrin, XGBoost, KDD 2016
 */
export class TreeGrower {
  /** Leaf value of each row in the newest tree. */
  readonly fitted: Float64Array;
  readonly #rows: Uint32Array;
  readonly #spareRows: Uint32Array;
  /** Memory for one histogram per depth: the larger child takes over the memory of its parent's. */
  readonly #cells: Float64Array[];

  constructor(
    private readonly binning: Binning,
    private readonly nRows: number,
    private readonly options: TreeOptions,
  ) {
    this.fitted = new Float64Array(nRows);
    this.#rows = new Uint32Array(nRows);
    this.#spareRows = new Uint32Array(nRows);
    this.#cells = Array.from({ length: options.maxDepth + 1 }, () => binning.counted.slice());
  }

  /** Grows one tree from the gradients and Hessians of the loss, one of each per row. */
  grow(gradients: Float64Array, hessians: Float64Array): Tree {
    const tree: Tree = { feature: [], threshold: [], left: [], right: [], value: [], gain: [], count: [] };
    for (let i = 0; i < this.nRows; i++) this.#rows[i] = i;
    const { breathe = neverPause } = this.options;
    const root = this.#cellsOf(0);
    root.set(this.binning.counted);
    const sums = sumAll(root, this.binning, gradients, hessians, breathe);
    this.#growNode(tree, this.#rows, sums, 0, { gradients, hessians });
    return tree;
  }

  #growNode(tree: Tree, rows: Uint32Array, sums: Histogram, depth: number, loss: LossDerivatives): number {
    const { binning, options } = this;
    const { breathe = neverPause } = options;
    const { gradients, hessians } = loss;
    const node = tree.feature.length;
    const split = depth < options.maxDepth ? bestSplit(binning, sums, rows.length, options) : null;
    pushNode(tree, rows.length);
    if (split === null) {
      const value = (-options.learningRate * sums.gradient) / (sums.hessian + options.l2);
      tree.value[node] = value;
      for (let r = 0; r < rows.length; r++) this.fitted[rows[r] ?? 0] = value;
      return node;
    }
    const nLeft = this.#partition(rows, split.feature, split.bin);
    const [leftRows, rightRows] = [rows.subarray(0, nLeft), rows.subarray(nLeft)];
    // Only the smaller child is summed; the sums of the larger one are those of the parent less these.
    const leftIsSmaller = leftRows.length <= rightRows.length;
    const smallRows = leftIsSmaller ? leftRows : rightRows;
    const endsHere = depth + 1 === options.maxDepth;
    const small = endsHere
      ? totals(smallRows, gradients, hessians)
      : sumSome(this.#cellsOf(depth + 1).fill(0), binning, smallRows, gradients, hessians, breathe);
    const large = endsHere ? remaining(sums, small) : subtract(sums, small);
    tree.feature[node] = split.feature;
    tree.threshold[node] = elementOrNaN(binning.thresholds[split.feature] ?? new Float64Array(0), split.bin);
    tree.gain[node] = split.gain;
    tree.left[node] = this.#growNode(tree, leftRows, leftIsSmaller ? small : large, depth + 1, loss);
    tree.right[node] = this.#growNode(tree, rightRows, leftIsSmaller ? large : small, depth + 1, loss);
    return node;
  }

  #cellsOf(depth: number): Float64Array {
    return this.#cells[depth] ?? this.binning.counted.slice();
  }

  /**
   * Moves the rows of the left side before those of the right, each in their former order. Returns the size
   * of the left side.
   */
  #partition(rows: Uint32Array, feature: number, bin: number): number {
    const bins = this.binning.columns[feature] ?? new Uint8Array(0);
    let nLeft = 0;
    let nRight = 0;
    for (let r = 0; r < rows.length; r++) {
      const row = rows[r] ?? 0;
      if ((bins[row] ?? 0) <= bin) rows[nLeft++] = row;
      else this.#spareRows[nRight++] = row;
    }
    rows.set(this.#spareRows.subarray(0, nRight), nLeft);
    return nLeft;
  }
}

interface LossDerivatives {
  gradients: Float64Array;
  hessians: Float64Array;
}

function pushNode(tree: Tree, count: number): void {
  tree.feature.push(-1);
  tree.threshold.push(0);
  tree.left.push(-1);
  tree.right.push(-1);
  tree.value.push(0);
  tree.gain.push(0);
  tree.count.push(count);
}

/** Value of a tree for the row of features that starts at `offset`. */
export function treeValue(tree: Tree, values: Float64Array, offset: number): number {
  let node = 0;
  for (;;) {
    const feature = tree.feature[node] ?? -1;
    if (feature < 0) return tree.value[node] ?? 0;
    const goesLeft = elementOrNaN(values, offset + feature) <= (tree.threshold[node] ?? 0);
    node = (goesLeft ? tree.left[node] : tree.right[node]) ?? -1;
  }
}

/** Sums over the rows of a node: in `cells` gradient, Hessian and row count per feature and bin, and the totals. */
interface Histogram {
  cells: Float64Array;
  gradient: number;
  hessian: number;
}

/** Adds the sums of all rows to cells that hold the row counts already. */
function sumAll(
  cells: Float64Array,
  { places, placesPerRow }: Binning,
  gradients: Float64Array,
  hessians: Float64Array,
  breathe: PauseHook,
): Histogram {
  let gradient = 0;
  let hessian = 0;
  for (let row = 0; row < gradients.length; row++) {
    if (row % BREATH_ROWS === 0) breathe();
    const g = elementOrNaN(gradients, row);
    const h = elementOrNaN(hessians, row);
    gradient += g;
    hessian += h;
    const end = (row + 1) * placesPerRow;
    // Unrolled by four: the loop overhead costs as much as the additions.
    for (let p = row * placesPerRow; p < end; p += 4) {
      addSums(cells, places[p] ?? 0, g, h);
      addSums(cells, places[p + 1] ?? 0, g, h);
      addSums(cells, places[p + 2] ?? 0, g, h);
      addSums(cells, places[p + 3] ?? 0, g, h);
    }
  }
  return { cells, gradient, hessian };
}

/** Adds the sums and counts of some rows to empty cells. */
function sumSome(
  cells: Float64Array,
  { places, placesPerRow }: Binning,
  rows: Uint32Array,
  gradients: Float64Array,
  hessians: Float64Array,
  breathe: PauseHook,
): Histogram {
  let gradient = 0;
  let hessian = 0;
  for (let r = 0; r < rows.length; r++) {
    if (r % BREATH_ROWS === 0) breathe();
    const row = rows[r] ?? 0;
    const g = elementOrNaN(gradients, row);
    const h = elementOrNaN(hessians, row);
    gradient += g;
    hessian += h;
    const end = (row + 1) * placesPerRow;
    for (let p = row * placesPerRow; p < end; p += 4) {
      addRow(cells, places[p] ?? 0, g, h);
      addRow(cells, places[p + 1] ?? 0, g, h);
      addRow(cells, places[p + 2] ?? 0, g, h);
      addRow(cells, places[p + 3] ?? 0, g, h);
    }
  }
  return { cells, gradient, hessian };
}

function addSums(cells: Float64Array, place: number, gradient: number, hessian: number): void {
  cells[place] = elementOrNaN(cells, place) + gradient;
  cells[place + 1] = elementOrNaN(cells, place + 1) + hessian;
}

function addRow(cells: Float64Array, place: number, gradient: number, hessian: number): void {
  addSums(cells, place, gradient, hessian);
  cells[place + 2] = elementOrNaN(cells, place + 2) + 1;
}

/** Histogram of the larger child: that of the parent, which is overwritten, less that of the smaller child. */
function subtract(whole: Histogram, part: Histogram): Histogram {
  const { cells } = whole;
  for (let i = 0; i < cells.length; i++) cells[i] = elementOrNaN(cells, i) - elementOrNaN(part.cells, i);
  return { ...remaining(whole, part), cells };
}

/** Sums over the rows of a node that cannot be split further, without bins. */
function totals(rows: Uint32Array, gradients: Float64Array, hessians: Float64Array): Histogram {
  let gradient = 0;
  let hessian = 0;
  for (let r = 0; r < rows.length; r++) {
    gradient += elementOrNaN(gradients, rows[r] ?? 0);
    hessian += elementOrNaN(hessians, rows[r] ?? 0);
  }
  return { cells: new Float64Array(0), gradient, hessian };
}

/** Sums of the larger child, without bins: those of the parent less those of the smaller child. */
function remaining(whole: Histogram, part: Histogram): Histogram {
  return {
    cells: new Float64Array(0),
    gradient: whole.gradient - part.gradient,
    hessian: whole.hessian - part.hessian,
  };
}

function bestSplit(
  binning: Binning,
  sums: Histogram,
  count: number,
  options: TreeOptions,
): { feature: number; bin: number; gain: number } | null {
  const { l2, minSamplesLeaf } = options;
  const { cells, gradient, hessian } = sums;
  const { room } = binning;
  const whole = (gradient * gradient) / (hessian + l2);
  let best: { feature: number; bin: number; gain: number } | null = null;
  for (const [feature, thresholds] of binning.thresholds.entries()) {
    let leftGradient = 0;
    let leftHessian = 0;
    let leftCount = 0;
    for (let bin = 0; bin < thresholds.length; bin++) {
      const cell = HISTOGRAM_CELL_SIZE * (feature * room + bin);
      leftGradient += elementOrNaN(cells, cell);
      leftHessian += elementOrNaN(cells, cell + 1);
      leftCount += elementOrNaN(cells, cell + 2);
      if (leftCount < minSamplesLeaf || leftHessian < MIN_HESSIAN) continue;
      const rightHessian = hessian - leftHessian;
      if (count - leftCount < minSamplesLeaf || rightHessian < MIN_HESSIAN) break;
      const rightGradient = gradient - leftGradient;
      const gain =
        (leftGradient * leftGradient) / (leftHessian + l2) +
        (rightGradient * rightGradient) / (rightHessian + l2) -
        whole;
      if (gain > (best?.gain ?? 0) + TIE) best = { feature, bin, gain };
    }
  }
  return best;
}

/** Gains closer than this are ties: subtracting histograms leaves rounding of that size. */
const TIE = 1e-10;
