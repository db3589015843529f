import { countDirectionsBySymbol, type SymbolDirections } from "@/db/queries/signal-days";
import type { DirectionCounts } from "@/db/queries/signal-history";
import { effectiveScope, OWNER_GRANT } from "@/lib/access/plans";
import { memo } from "@/lib/runtime/memo";
import { readInOneSnapshot } from "@/lib/signals/quality/read-in-one-snapshot";
import { withUnsummedSignals } from "@/lib/signals/quality/read-sums";
import { addDays, MINUTE_MS } from "@/lib/time";

const MONTH_DAYS = 30;

export interface RecentDirectionCounts {
  all: DirectionCounts;
  bySymbol: ReadonlyMap<string, SymbolDirections>;
}

/**
 * Number of signals of each direction in the last 30 days, overall and by symbol. Read at most once a minute, from the
 * replica if one is configured, which may be behind.
 */
export const readRecentDirectionCounts = memo(
  "admin-directions",
  { ttlMs: MINUTE_MS },
  async (): Promise<RecentDirectionCounts> => {
    const window = { scope: effectiveScope(OWNER_GRANT), since: addDays(new Date(), -MONTH_DAYS) };
    const { rows } = await readInOneSnapshot({
      rows: async (tx) => countDirectionsBySymbol(tx, await withUnsummedSignals(tx, window)),
    });
    const sum = (pick: (row: SymbolDirections) => number) =>
      rows.reduce((total, row) => total + pick(row), 0);
    const [total, buy, sell] = [sum((row) => row.total), sum((row) => row.buy), sum((row) => row.sell)];
    return {
      all: { BUY: buy, SELL: sell, NO_TRADE: total - buy - sell },
      bySymbol: new Map(rows.map((row) => [row.symbol, row])),
    };
  },
);
