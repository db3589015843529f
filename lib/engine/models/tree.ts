import { type Breathe, withoutPause } from "@/lib/engine/breathe";
import { at } from "@/lib/engine/column";
import type { Binning } from "./binning";

/** A regression tree as parallel arrays in depth-first order; a leaf has feature -1. Left when x <= threshold. */
export interface Tree {
  feature: number[];
  threshold: number[];
  left: number[];
  right: number[];
  value: number[];
  /** Loss reduction of each split, 0 at a leaf: what feature importance sums up. */
  gain: number[];
  count: number[];
}

export interface TreeOptions {
  maxDepth: number;
  minSamplesLeaf: number;
  /** L2 penalty on leaf values. */
  l2: number;
  learningRate: number;
  breathe?: Breathe;
}

const MIN_HESSIAN = 1e-3;
const BREATH_ROWS = 2048;

/**
 * One tree of gradient boosting by histograms: leaf value = -learningRate x G / (H + l2), a split's gain
 * GL^2/(HL+l2) + GR^2/(HR+l2) - G^2/(H+l2), G and H the sums of gradients and Hessians. The highest gain above 0 is
 * split; ties go to the first feature and its lowest threshold.
 *
 * @param gradients, hessians of the loss, one per row
 * @returns the tree, and for each row the leaf value it received
 * @see Chen and Guestrin, XGBoost, KDD 2016
 */
export function growTree(
  binning: Binning,
  gradients: Float64Array,
  hessians: Float64Array,
  options: TreeOptions,
): { tree: Tree; fitted: Float64Array } {
  const { breathe = withoutPause } = options;
  const tree: Tree = { feature: [], threshold: [], left: [], right: [], value: [], gain: [], count: [] };
  const fitted = new Float64Array(gradients.length);
  const rows = new Uint32Array(gradients.length);
  for (let i = 0; i < rows.length; i++) rows[i] = i;
  const root = histogram(binning, rows, gradients, hessians, breathe);
  grow(rows, root, 0);
  return { tree, fitted };

  function grow(nodeRows: Uint32Array, sums: Histogram, depth: number): number {
    const node = tree.feature.length;
    const split = depth < options.maxDepth ? bestSplit(binning, sums, nodeRows.length, options) : null;
    pushNode(nodeRows.length);
    if (split === null) {
      const value = (-options.learningRate * sums.gradient) / (sums.hessian + options.l2);
      tree.value[node] = value;
      for (let r = 0; r < nodeRows.length; r++) fitted[nodeRows[r] ?? 0] = value;
      return node;
    }
    const [leftRows, rightRows] = partition(binning, nodeRows, split.feature, split.bin);
    // Only the smaller side is summed; the other is what remains.
    const leftIsSmaller = leftRows.length <= rightRows.length;
    const smallRows = leftIsSmaller ? leftRows : rightRows;
    const endsHere = depth + 1 === options.maxDepth;
    const small = endsHere
      ? totals(smallRows, gradients, hessians)
      : histogram(binning, smallRows, gradients, hessians, breathe);
    const large = endsHere ? remaining(sums, small) : subtract(sums, small);
    tree.feature[node] = split.feature;
    tree.threshold[node] = at(binning.thresholds[split.feature] ?? new Float64Array(0), split.bin);
    tree.gain[node] = split.gain;
    tree.left[node] = grow(leftRows, leftIsSmaller ? small : large, depth + 1);
    tree.right[node] = grow(rightRows, leftIsSmaller ? large : small, depth + 1);
    return node;
  }

  function pushNode(count: number): void {
    tree.feature.push(-1);
    tree.threshold.push(0);
    tree.left.push(-1);
    tree.right.push(-1);
    tree.value.push(0);
    tree.gain.push(0);
    tree.count.push(count);
  }
}

/** Value of a tree for the row of features that starts at `offset`. */
export function treeValue(tree: Tree, values: Float64Array, offset: number): number {
  let node = 0;
  for (;;) {
    const feature = tree.feature[node] ?? -1;
    if (feature < 0) return tree.value[node] ?? 0;
    const goesLeft = at(values, offset + feature) <= (tree.threshold[node] ?? 0);
    node = (goesLeft ? tree.left[node] : tree.right[node]) ?? -1;
  }
}

/** Sums per feature and bin: gradient, Hessian and row count, interleaved. */
interface Histogram {
  cells: Float64Array;
  gradient: number;
  hessian: number;
}

/** Bins that each feature has room for in a histogram: so few that a small one stays in the processor's cache. */
function roomOf({ thresholds }: Binning): number {
  let most = 0;
  for (const edges of thresholds) most = Math.max(most, edges.length);
  return most + 1;
}

function histogram(
  binning: Binning,
  rows: Uint32Array,
  gradients: Float64Array,
  hessians: Float64Array,
  breathe: Breathe,
): Histogram {
  const { bins } = binning;
  const columns = binning.thresholds.length;
  const room = roomOf(binning);
  const cells = new Float64Array(columns * room * 3);
  let gradient = 0;
  let hessian = 0;
  for (let r = 0; r < rows.length; r++) {
    if (r % BREATH_ROWS === 0) breathe();
    const row = rows[r] ?? 0;
    const g = at(gradients, row);
    const h = at(hessians, row);
    gradient += g;
    hessian += h;
    const start = row * columns;
    for (let j = 0; j < columns; j++) {
      const cell = 3 * (j * room + (bins[start + j] ?? 0));
      cells[cell] = at(cells, cell) + g;
      cells[cell + 1] = at(cells, cell + 1) + h;
      cells[cell + 2] = at(cells, cell + 2) + 1;
    }
  }
  return { cells, gradient, hessian };
}

function subtract(whole: Histogram, part: Histogram): Histogram {
  const cells = new Float64Array(whole.cells.length);
  for (let i = 0; i < cells.length; i++) cells[i] = at(whole.cells, i) - at(part.cells, i);
  return { ...remaining(whole, part), cells };
}

/** Totals alone, for leaves, which need no bins. */
function totals(rows: Uint32Array, gradients: Float64Array, hessians: Float64Array): Histogram {
  let gradient = 0;
  let hessian = 0;
  for (let r = 0; r < rows.length; r++) {
    gradient += at(gradients, rows[r] ?? 0);
    hessian += at(hessians, rows[r] ?? 0);
  }
  return { cells: new Float64Array(0), gradient, hessian };
}

/** The same of the other side. */
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
  const room = roomOf(binning);
  const whole = (gradient * gradient) / (hessian + l2);
  let best: { feature: number; bin: number; gain: number } | null = null;
  for (const [feature, thresholds] of binning.thresholds.entries()) {
    let leftGradient = 0;
    let leftHessian = 0;
    let leftCount = 0;
    for (let bin = 0; bin < thresholds.length; bin++) {
      const cell = 3 * (feature * room + bin);
      leftGradient += at(cells, cell);
      leftHessian += at(cells, cell + 1);
      leftCount += at(cells, cell + 2);
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

/** Gains closer than this are ties: subtraction of histograms leaves rounding of that size. */
const TIE = 1e-10;

function partition(
  binning: Binning,
  rows: Uint32Array,
  feature: number,
  bin: number,
): [Uint32Array, Uint32Array] {
  const bins = binning.columns[feature] ?? new Uint8Array(0);
  const left = new Uint32Array(rows.length);
  const right = new Uint32Array(rows.length);
  let nLeft = 0;
  let nRight = 0;
  for (let r = 0; r < rows.length; r++) {
    const row = rows[r] ?? 0;
    if ((bins[row] ?? 0) <= bin) left[nLeft++] = row;
    else right[nRight++] = row;
  }
  return [left.subarray(0, nLeft), right.subarray(0, nRight)];
}
