/** 97.5 % quantile of the standard normal law: two-sided 95 %. */
const Z95 = 1.959963984540054;

/**
 * Wilson's score interval for a rate.
 *
 * (rate + z^2/2n +- z sqrt(rate (1 - rate)/n + z^2/4n^2)) / (1 + z^2/n). The rate and n are separate parameters,
 * because the rate of overlapping signals counts all of them, and n only those that do not overlap.
 *
 * @param rate share of successes, 0..1; @param n number of independent trials, need not be whole
 * @returns [low, high] within 0..1; [0, 1] when n is 0
 * @see Edwin Wilson, Journal of the American Statistical Association 22 (1927)
 */
export function wilsonInterval(rate: number, n: number, z: number = Z95): [number, number] {
  if (n === 0) return [0, 1];
  if (!(rate >= 0 && rate <= 1 && n > 0)) throw new RangeError("a rate lies in 0..1 and n is not negative");
  const z2 = z * z;
  const centre = rate + z2 / (2 * n);
  const half = z * Math.sqrt((rate * (1 - rate)) / n + z2 / (4 * n * n));
  const scale = 1 + z2 / n;
  // At a rate of exactly 0 or 1 the bound is that rate; rounding would leave 1e-17 of it.
  return [
    rate === 0 ? 0 : Math.max(0, (centre - half) / scale),
    rate === 1 ? 1 : Math.min(1, (centre + half) / scale),
  ];
}
