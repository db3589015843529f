import { elementOrNaN } from "./column";

/**
 * Solves A x = b for a symmetric positive definite A, by Cholesky's decomposition.
 *
 * @param matrix size x size, row by row; overwritten with its factor
 * @param right length `size`; overwritten with the solution
 * @returns `right`
 * @throws if A is not positive definite to working precision
 */
export function solvePositiveDefinite(matrix: Float64Array, right: Float64Array): Float64Array {
  const size = right.length;
  if (matrix.length !== size * size) throw new RangeError("the matrix is not square of this size");
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = elementOrNaN(matrix, i * size + j);
      for (let k = 0; k < j; k++)
        sum -= elementOrNaN(matrix, i * size + k) * elementOrNaN(matrix, j * size + k);
      if (i === j) {
        if (!(sum > 0)) throw new RangeError("the matrix is not positive definite");
        matrix[i * size + i] = Math.sqrt(sum);
      } else {
        matrix[i * size + j] = sum / elementOrNaN(matrix, j * size + j);
      }
    }
  }
  for (let i = 0; i < size; i++) {
    let sum = elementOrNaN(right, i);
    for (let k = 0; k < i; k++) sum -= elementOrNaN(matrix, i * size + k) * elementOrNaN(right, k);
    right[i] = sum / elementOrNaN(matrix, i * size + i);
  }
  for (let i = size - 1; i >= 0; i--) {
    let sum = elementOrNaN(right, i);
    for (let k = i + 1; k < size; k++) sum -= elementOrNaN(matrix, k * size + i) * elementOrNaN(right, k);
    right[i] = sum / elementOrNaN(matrix, i * size + i);
  }
  return right;
}
