/**
 * Divides 0..1 into cells at every edge that 5, 6, ... or 20 equal bins have. A probability's cell determines its bin
 * for any of these numbers of bins.
 */

/** Smallest and largest (`MAX_BINS`) number of equal bins for which cells determine bins. */
export const MIN_BINS = 5;
export const MAX_BINS = 20;
const BIN_COUNTS = Array.from({ length: MAX_BINS - MIN_BINS + 1 }, (_, i) => MIN_BINS + i);

const binOf = (probability: number, nBins: number) => Math.min(Math.floor(probability * nBins), nBins - 1);

/** Lower edges of the cells, ascending. */
const EDGES = [...new Set(BIN_COUNTS.flatMap((n) => Array.from({ length: n }, (_, k) => k / n)))].toSorted(
  (a, b) => a - b,
);
const MIDDLES = EDGES.map((edge, i) => (edge + (EDGES[i + 1] ?? 1)) / 2);

/**
 * Sum of a probability's bin numbers, over all numbers of bins. It grows by at least one at each edge, so it identifies
 * the cell.
 */
const sumOfBins = (probability: number) =>
  BIN_COUNTS.reduce((sum, nBins) => sum + binOf(probability, nBins), 0);
const CELLS = new Map(MIDDLES.map((middle, cell) => [sumOfBins(middle), cell]));
const BINS = new Map(BIN_COUNTS.map((nBins) => [nBins, MIDDLES.map((middle) => binOf(middle, nBins))]));

export const CELL_COUNT = EDGES.length;

/** The cell of a probability, 0 to `CELL_COUNT - 1`. */
export function cellOf(probability: number): number {
  if (!(probability >= 0 && probability <= 1)) throw new RangeError("probabilities lie in 0..1");
  // Rounding may put a probability on both sides of one edge, for different numbers of bins. Then no cell has its sum
  // of bin numbers, and the edges decide.
  return CELLS.get(sumOfBins(probability)) ?? EDGES.findLastIndex((edge) => edge <= probability);
}

/** The bin of each cell when 0..1 is divided into `nBins` equal bins. */
export function binsOfCells(nBins: number): readonly number[] {
  const bins = BINS.get(nBins);
  if (bins === undefined)
    throw new RangeError(`the number of bins is an integer from ${MIN_BINS} to ${MAX_BINS}`);
  return bins;
}
