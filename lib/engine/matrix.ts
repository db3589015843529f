import { elementOrNaN } from "./column";

/** A dense matrix, row by row: element (i, j) has the index `i * columns + j`. */
export interface Matrix {
  rows: number;
  columns: number;
  values: Float64Array;
}

export function makeMatrix(rows: number, columns: number): Matrix {
  return { rows, columns, values: new Float64Array(rows * columns) };
}

/** A matrix of the columns with these indices, in this order. */
export function takeColumns(matrix: Matrix, indices: readonly number[]): Matrix {
  const taken = makeMatrix(matrix.rows, indices.length);
  for (let i = 0; i < matrix.rows; i++) {
    for (const [k, j] of indices.entries()) {
      taken.values[i * indices.length + k] = elementOrNaN(matrix.values, i * matrix.columns + j);
    }
  }
  return taken;
}

/** A copy with absolute values in the columns with these indices. */
export function withMagnitudes(matrix: Matrix, indices: readonly number[]): Matrix {
  const values = matrix.values.slice();
  for (let i = 0; i < matrix.rows; i++) {
    for (const j of indices) {
      const cell = i * matrix.columns + j;
      values[cell] = Math.abs(elementOrNaN(values, cell));
    }
  }
  return { ...matrix, values };
}

/** Stacks matrices with the same number of columns. */
export function stackRows(matrices: readonly Matrix[]): Matrix {
  const stacked = makeMatrix(
    matrices.reduce((n, { rows }) => n + rows, 0),
    matrices[0]?.columns ?? 0,
  );
  let offset = 0;
  for (const { values } of matrices) {
    stacked.values.set(values, offset);
    offset += values.length;
  }
  return stacked;
}
