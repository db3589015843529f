import { CELL_COUNT } from "@/lib/engine/scores/calibration-cells";
import { type ForecastTally, NEWEY_WEST_LAGS, VALUES_PER_FORECAST } from "@/lib/engine/scores/forecast-tally";
import type { IndependentChain } from "@/lib/engine/scores/independent-chain";

/** Number of the format, stored in front. */
const VERSION = 1;

/**
 * A tally as little-endian doubles, without empty cells and lags: version, n, sums; number of cells, each
 * with position, n, confidence, hits; number of lags, their products; number of vectors in the head, the
 * vectors; the same of the tail.
 */
export function encodeTally({ n, confidence, hits, terms }: ForecastTally): Buffer {
  const values: number[] = [VERSION, terms.n, ...terms.sums];
  const cells = [...n.keys()].filter((cell) => n[cell] !== 0);
  values.push(cells.length);
  for (const cell of cells) values.push(cell, n[cell] ?? 0, confidence[cell] ?? 0, hits[cell] ?? 0);
  const lags = Math.min(terms.n, NEWEY_WEST_LAGS + 1);
  values.push(lags, ...terms.products.subarray(0, lags * VALUES_PER_FORECAST ** 2));
  for (const end of [terms.head, terms.tail]) values.push(end.length / VALUES_PER_FORECAST, ...end);
  return bytesOf(values);
}

export function decodeTally(bytes: Buffer): ForecastTally {
  const { next, column } = reader(bytes);
  const count = next();
  const sums = column(VALUES_PER_FORECAST);
  const [n, confidence, hits] = [
    new Float64Array(CELL_COUNT),
    new Float64Array(CELL_COUNT),
    new Float64Array(CELL_COUNT),
  ];
  for (let left = next(); left > 0; left--) {
    const cell = next();
    n[cell] = next();
    confidence[cell] = next();
    hits[cell] = next();
  }
  const products = new Float64Array((NEWEY_WEST_LAGS + 1) * VALUES_PER_FORECAST ** 2);
  products.set(column(next() * VALUES_PER_FORECAST ** 2));
  const head = column(next() * VALUES_PER_FORECAST);
  const tail = column(next() * VALUES_PER_FORECAST);
  const terms = { width: VALUES_PER_FORECAST, lags: NEWEY_WEST_LAGS, n: count, sums, products, head, tail };
  return { n, confidence, hits, terms };
}

/** A chain as little-endian doubles: version, whether it is whole, number of starts, and the starts. */
export function encodeChain({ isWhole, starts }: IndependentChain): Buffer {
  const flat = starts.flatMap(({ begin, kept, end }) => [begin, kept, end]);
  return bytesOf([VERSION, isWhole ? 1 : 0, starts.length, ...flat]);
}

export function decodeChain(bytes: Buffer): IndependentChain {
  const { next } = reader(bytes);
  const isWhole = next() === 1;
  const starts = Array.from({ length: next() }, () => ({ begin: next(), kept: next(), end: next() }));
  return { isWhole, starts };
}

function bytesOf(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length);
  values.forEach((value, i) => {
    bytes.writeDoubleLE(value, 8 * i);
  });
  return bytes;
}

function reader(bytes: Buffer) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let place = 0;
  const next = () => {
    const value = view.getFloat64(place, true);
    place += 8;
    return value;
  };
  const column = (length: number) => {
    const values = new Float64Array(length);
    for (let i = 0; i < length; i++) values[i] = next();
    return values;
  };
  if (next() !== VERSION) throw new Error("unknown format of stored sums");
  return { next, column };
}
