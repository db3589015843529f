/**
 * Place of the minimum of a function with one valley on [low, high], by golden-section search; an end of the interval
 * that is lower than the place found wins.
 *
 * @param tolerance width of the last interval
 */
export function minimiseOnInterval(
  valueAt: (x: number) => number,
  low: number,
  high: number,
  tolerance: number,
): number {
  const golden = (Math.sqrt(5) - 1) / 2;
  let [a, b] = [low, high];
  let left = b - golden * (b - a);
  let right = a + golden * (b - a);
  let [atLeft, atRight] = [valueAt(left), valueAt(right)];
  while (b - a > tolerance) {
    if (atLeft <= atRight) {
      b = right;
      right = left;
      atRight = atLeft;
      left = b - golden * (b - a);
      atLeft = valueAt(left);
    } else {
      a = left;
      left = right;
      atLeft = atRight;
      right = a + golden * (b - a);
      atRight = valueAt(right);
    }
  }
  const middle = (a + b) / 2;
  return [middle, low, high].reduce((best, x) => (valueAt(x) < valueAt(best) ? x : best));
}
