import { deepestDrawdown } from "@/lib/engine/chart/drawdown";

/**
 * Maximum drawdown of the running total from its peak; both start at 0.
 *
 * @param results in the order in which they ended, any unit
 * @returns an amount of at least 0, in the same unit
 */
export function maxDrawdown(results: Iterable<number>): number {
  const totals: number[] = [];
  let total = 0;
  for (const result of results) {
    total += result;
    totals.push(total);
  }
  return deepestDrawdown(totals)?.depth ?? 0;
}

/** Sum of the gains over the sum of the losses (both positive amounts); null without losses. */
export function profitFactor(results: Iterable<number>): number | null {
  let gains = 0;
  let losses = 0;
  for (const result of results) {
    if (result > 0) gains += result;
    else losses -= result;
  }
  return losses > 0 ? gains / losses : null;
}
