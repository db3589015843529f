/**
 * Boundary for the t statistic of a mean that is checked while n grows. If the true mean is not above zero, t ever
 * exceeds the boundary with a probability of at most alpha, however often it is checked.
 *
 * Normal mixture boundary of the cumulative sum, one-sided: sqrt((1 + 1/x) log((1 + x) / (2 alpha)^2)) with x = n /
 * tunedFor times the x at which the boundary is lowest. The boundary hardly changes between a tenth and ten times
 * `tunedFor`. It is asymptotic: for n of at least some hundreds and a standard error that allows for serial
 * correlation.
 *
 * @param tunedFor the n at which the boundary is lowest
 * @see Robbins, Annals of Mathematical Statistics 41 (1970); Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas,
 *   Time-uniform central limit theory and asymptotic confidence sequences (2021), section 2
 */
export function alwaysValidBoundary(n: number, alpha: number, tunedFor: number): number {
  if (!(n > 0 && tunedFor > 0 && alpha > 0 && alpha < 0.5))
    throw new RangeError("n, tunedFor > 0, alpha in (0, 0.5)");
  const logLevel = -2 * Math.log(2 * alpha);
  const lowest = logLevel + Math.log(logLevel + 1);
  const x = (lowest * n) / tunedFor;
  return Math.sqrt((1 + 1 / x) * (Math.log1p(x) + logLevel));
}
