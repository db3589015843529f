import { readFileSync } from "node:fs";
import { brierTerms } from "@/lib/engine/scores/brier";
import type { CandleSeries } from "@/lib/market/candles";

export type TreeNode =
  | [number, number, number, number, number, number]
  | [null, null, null, null, number, number];

interface Vectors {
  candles: { ohlc: [number, number, number, number][] };
  atr14: { start: number; values: number[] };
  rsi14: { start: number; values: number[] };
  labels: { start: number; outcome: string; candles: number[] };
  classification: { X: number[][]; y: string };
  logistic: { C: number; coef: number[][]; intercept: number[]; proba: [number, number, number][] };
  scores: Record<
    "brier3" | "log_loss" | "ece_top_10" | "auc_ovr_macro" | "auc_buy_vs_sell" | "temperature",
    number
  > & { auc_per_class: number[] };
  scores_sharp: Record<"brier3" | "log_loss" | "ece_top_10" | "temperature" | "prior_anchored_s", number> & {
    after: Record<"brier3" | "log_loss" | "ece_top_10", number>;
  };
  baseline: { frequencies: [number, number, number]; brier3: number; log_loss: number };
  trees: { baseline: number[]; trees: TreeNode[][][]; proba_first10: number[][] };
}

/** The reference vectors (tests/vectors/README.md). */
export const vectors: Vectors = JSON.parse(
  readFileSync(new URL("../../vectors/engine.json", import.meta.url), "utf8"),
);

/** Candles from rows of open, high, low, close, one hour apart. */
export function seriesOf(rows: readonly (readonly number[])[], startMs = Date.UTC(2024, 0, 1)): CandleSeries {
  const column = (k: number) => Float64Array.from(rows, (row) => row[k]!);
  return {
    ts: Float64Array.from(rows, (_, i) => startMs + i * 3_600_000),
    open: column(0),
    high: column(1),
    low: column(2),
    close: column(3),
    volume: new Float64Array(rows.length).fill(1),
  };
}

export const vectorCandles = seriesOf(vectors.candles.ohlc);

/** The 200 labels of the classification block. */
export const vectorLabels = Int8Array.from(vectors.classification.y, Number);

/** n x 3 probabilities as one row-major column. */
export function flattenRows(rows: readonly (readonly number[])[]): Float64Array {
  return Float64Array.from(rows.flat());
}

/** Mean of the three-class Brier terms. */
export function meanBrier(probs: Float64Array, labels: Int8Array): number {
  return brierTerms(probs, labels).reduce((a, b) => a + b, 0) / labels.length;
}

/** Mean of -log(probability of the actual class). */
export function meanLogLoss(probs: Float64Array, labels: Int8Array): number {
  return labels.reduce((sum, label, i) => sum - Math.log(probs[3 * i + label]!), 0) / labels.length;
}
