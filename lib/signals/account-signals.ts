import type { z } from "zod";
import { listSignalsInScope } from "@/db/queries/signal-windows";
import { readAtReplica } from "@/db/replica";
import type { Scope } from "@/lib/access/plans";
import { candleCloseMs } from "@/lib/market/timeframes";
import type { ExpiringValue } from "@/lib/runtime/window-cache";
import { addDays, DAY_MS } from "@/lib/time";
import type { AccountSignals } from "@/lib/wire/contracts/signals";
import { toScanItem } from "@/lib/wire/signal-item";
import { latestVisibleCloses, nextMinute } from "./visible-closes";

interface SignalsWanted {
  scope: Scope;
  days: number;
  limit: number;
  includeNoTrade: boolean;
}

/**
 * The newest `limit` signals in scope whose candle closed in the last `days` days, newest first. Unless signals are
 * written, the result is valid until its oldest signal leaves this window; for a delayed scope, until the next minute.
 */
export async function listAccountSignals(
  wanted: SignalsWanted,
  now: Date,
): Promise<ExpiringValue<z.output<typeof AccountSignals>>> {
  const { days } = wanted;
  const rows = await readAtReplica((database) =>
    listSignalsInScope(database, {
      ...wanted,
      closes: latestVisibleCloses(wanted.scope, now),
      since: addDays(now, -days),
    }),
  );
  const signals = rows.map((row) => ({ ...toScanItem(row), created_at: row.createdAt }));
  const earliestMs = Math.min(...rows.map((row) => candleCloseMs(row.ts.getTime(), row.timeframe)));
  return {
    value: { count: signals.length, days, signals },
    // In a delayed scope, another signal may become visible at the next whole minute.
    validUntil:
      wanted.scope.delayCandles !== undefined
        ? nextMinute(now)
        : signals.length === 0
          ? null
          : new Date(earliestMs + days * DAY_MS),
  };
}
