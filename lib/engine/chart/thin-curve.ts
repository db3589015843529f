/** A point of a running sum. */
export interface CurvePoint {
  at: Date;
  value: number;
}

/** Number of points that a chart as wide as a page can show, roughly. */
const DRAWN_POINTS = 240;

/**
 * Thins a curve to at most `count` (3 or more) points for drawing. Of each of `count` / 3 parts of equal length it
 * keeps the lowest, the highest and the last point, in their order. A fall inside one part may be lost, so figures must
 * be computed from the whole curve. Curves of at most `count` points are returned unchanged.
 */
export function thinCurve<Point extends { value: number }>(
  points: readonly Point[],
  count = DRAWN_POINTS,
): Point[] {
  if (points.length <= count) return [...points];
  const stretches = Math.max(1, Math.floor(count / 3));
  const kept: Point[] = [];
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * points.length) / stretches);
    const to = Math.floor(((stretch + 1) * points.length) / stretches);
    let lowest = from;
    let highest = from;
    for (let index = from; index < to; index++) {
      if (valueAt(points, index) < valueAt(points, lowest)) lowest = index;
      if (valueAt(points, index) > valueAt(points, highest)) highest = index;
    }
    for (const index of [...new Set([lowest, highest, to - 1])].sort((a, b) => a - b)) {
      const point = points[index];
      if (point) kept.push(point);
    }
  }
  return kept;
}

const valueAt = (points: readonly { value: number }[], index: number): number => points[index]?.value ?? 0;
