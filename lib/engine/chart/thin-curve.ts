/** A point of a running sum. */
export interface CurvePoint {
  at: Date;
  value: number;
}

/**
 * Thins a curve to about `count` points for drawing, keeping what the eye needs: of each of `count` / 3
 * stretches of equal length the lowest, the highest and the last point, in their order. Figures are taken from the
 * whole curve: a fall that begins and ends inside one stretch may be lost. Curves that are short enough come back as
 * they are.
 */
export function thinCurve(points: readonly CurvePoint[], count = 240): CurvePoint[] {
  if (points.length <= count) return [...points];
  const stretches = Math.max(1, Math.floor(count / 3));
  const kept: CurvePoint[] = [];
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

const valueAt = (points: readonly CurvePoint[], index: number): number => points[index]?.value ?? 0;
