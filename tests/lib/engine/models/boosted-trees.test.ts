import { describe, expect, it } from "vitest";
import type { Matrix } from "@/lib/engine/matrix";
import { fitBoostedTrees, predictBoostedTrees, treeImportance } from "@/lib/engine/models/boosted-trees";
import type { Tree } from "@/lib/engine/models/tree";
import { uniformSource } from "@/lib/engine/random";
import { normalSource } from "@/tests/lib/engine/normal-source";
import { flattenRows, type TreeNode, vectorLabels, vectors } from "@/tests/lib/engine/vectors";

const x: Matrix = { rows: 200, columns: 5, values: flattenRows(vectors.classification.X) };
const options = {
  classes: 3,
  maxRounds: 3,
  maxBins: 255,
  maxDepth: 3,
  minSamplesLeaf: 10,
  l2: 1,
  learningRate: 0.1,
};

/** Leaf of every row, found by walking the reference's nodes. */
function referenceLeaf(nodes: TreeNode[], row: number[]): number {
  let node = 0;
  for (;;) {
    const [feature, threshold, left, right] = nodes[node]!;
    if (feature === null) return node;
    node = row[feature]! <= threshold ? left : right;
  }
}

function leaf(tree: Tree, row: number[]): number {
  let node = 0;
  while (tree.feature[node]! >= 0) {
    node = row[tree.feature[node]!]! <= tree.threshold[node]! ? tree.left[node]! : tree.right[node]!;
  }
  return node;
}

describe("fitBoostedTrees", () => {
  const model = fitBoostedTrees(x, vectorLabels, options);

  it("fitBoostedTrees builds trees with the reference's splits and leaf values", () => {
    for (const [round, trees] of vectors.trees.trees.entries()) {
      for (const [k, nodes] of trees.entries()) {
        const tree = model.rounds[round]![k]!;
        const pairs = new Map<number, number>();
        for (const row of vectors.classification.X) {
          const [theirs, ours] = [referenceLeaf(nodes, row), leaf(tree, row)];
          expect(pairs.get(theirs) ?? ours, `round ${round}, class ${k}`).toBe(ours);
          pairs.set(theirs, ours);
          expect(Math.abs(tree.value[ours]! - nodes[theirs]![5])).toBeLessThan(1e-5);
        }
        expect(new Set(pairs.values()).size).toBe(pairs.size);
        expect(tree.feature.length).toBe(nodes.length);
      }
    }
  });

  it("boosted trees have the reference's start values and probabilities", () => {
    for (const [k, value] of vectors.trees.baseline.entries()) expect(model.start[k]!).toBeCloseTo(value, 9);
    const probs = predictBoostedTrees(model, x);
    for (const [i, row] of vectors.trees.proba_first10.entries()) {
      for (const [k, p] of row.entries()) expect(Math.abs(probs[3 * i + k]! - p)).toBeLessThan(1e-5);
    }
  });

  it("fitBoostedTrees gives the same bytes for the same sample", () => {
    expect(JSON.stringify(fitBoostedTrees(x, vectorLabels, options))).toBe(JSON.stringify(model));
  });

  it("fitBoostedTrees stops before round 15 of 200 on noise", () => {
    const normal = normalSource(uniformSource(9));
    const noise = (rows: number): Matrix => ({
      rows,
      columns: 4,
      values: Float64Array.from({ length: rows * 4 }, normal),
    });
    const coin = (rows: number) => Int8Array.from({ length: rows }, () => (normal() > 0 ? 1 : 0));
    const stopped = fitBoostedTrees(
      noise(400),
      coin(400),
      { ...options, classes: 2, maxRounds: 200, maxBins: 64 },
      { x: noise(4000), y: coin(4000), patience: 20 },
    );
    expect(stopped.rounds.length).toBeLessThan(15);
  });

  it("fitBoostedTrees learns a step of one feature with two classes, and ranks this feature first", () => {
    const normal = normalSource(uniformSource(10));
    const sample: Matrix = { rows: 1000, columns: 3, values: Float64Array.from({ length: 3000 }, normal) };
    const y = Int8Array.from({ length: 1000 }, (_, i) => (sample.values[3 * i + 1]! > 0.3 ? 1 : 0));
    const two = fitBoostedTrees(sample, y, { ...options, classes: 2, maxRounds: 60, maxBins: 64 });
    const probs = predictBoostedTrees(two, sample);
    // The step lies inside one of the 64 bins, whose rows cannot be separated.
    const right = y.filter((label, i) => probs[2 * i + 1]! > 0.5 === (label === 1)).length;
    expect(right).toBeGreaterThan(980);
    expect(treeImportance(two)[1]).toBeGreaterThan(0.95);
  });
});
