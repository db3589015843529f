import type { CurvePoint } from "./thin-curve";

/** Running sum of results in the order in which they ended: the whole curve, with one point for each instant. */
export function runningTotal(results: Iterable<{ endedAt: Date; resultR: number }>): CurvePoint[] {
  let total = 0;
  const byInstant = new Map<number, number>();
  for (const { endedAt, resultR } of results) {
    total += resultR;
    byInstant.set(endedAt.getTime(), total);
  }
  return [...byInstant].map(([ms, value]) => ({ at: new Date(ms), value }));
}
