import type { DistributionRow } from "@/db/queries/admin-signals";

export interface DistributionGroup {
  name: string;
  BUY: number;
  SELL: number;
  NO_TRADE: number;
  total: number;
}

/** Counts of a distribution summed by one of its columns, largest group first. */
export function summarizeDistribution(
  rows: readonly DistributionRow[],
  by: "symbol" | "timeframe" | "regime",
): DistributionGroup[] {
  const groups = new Map<string, DistributionGroup>();
  for (const row of rows) {
    const name = row[by];
    const group = groups.get(name) ?? { name, BUY: 0, SELL: 0, NO_TRADE: 0, total: 0 };
    group[row.signal] += row.n;
    group.total += row.n;
    groups.set(name, group);
  }
  return [...groups.values()].toSorted((a, b) => b.total - a.total || a.name.localeCompare(b.name, "en"));
}
