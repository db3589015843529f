import type { Database, Transaction } from "@/db/client";
import { markMonthsDirty, type SlotDay, type SumKind, takeDirtyDays } from "@/db/queries/dirty-days";
import { writeSignalDays } from "@/db/queries/signal-days";
import {
  listForecastSumsOfMonths,
  listForecastsOfDays,
  listResultsOfDays,
  writeForecastSums,
  writeResultSums,
} from "@/db/queries/track-record";
import { groupBy } from "@/lib/runtime/group-by";
import { encodedSumOfDay, encodedSumsOfMonth } from "./forecast-days";
import { sumOfResults } from "./result-days";

/** Maximum number of days or months per transaction, to keep it short: an M1 slot has 1,440 signals a day. */
const DAYS_PER_TURN = 10;

const WRITE: Record<SumKind, (tx: Transaction, days: SlotDay[]) => Promise<void>> = {
  signals: writeSignalDays,
  forecasts: async (tx, days) => {
    await writeForecastSums(tx, "day", days, (await listForecastsOfDays(tx, days)).map(encodedSumOfDay));
    await markMonthsDirty(tx, days);
  },
  results: async (tx, days) => {
    await writeResultSums(tx, days, (await listResultsOfDays(tx, days)).map(sumOfResults));
  },
  month: async (tx, months) => {
    const days = groupBy(await listForecastSumsOfMonths(tx, months), ({ day }) => `${day.slice(0, 7)}-01`);
    const sums = [...days].flatMap(([month, ofMonth]) => encodedSumsOfMonth(month, ofMonth));
    await writeForecastSums(tx, "month", months, sums);
  },
};

/**
 * Writes the sums of past days and months that are marked as dirty because they have none yet or their signals have
 * changed, a few at a time. A mark and its sums change in one transaction, so a run may stop at any point. Returns the
 * number of marks processed.
 */
export async function writeSumsOfDirtyDays(database: Database, signal?: AbortSignal): Promise<number> {
  let done = 0;
  for (const kind of ["signals", "forecasts", "results", "month"] as const) {
    for (let taken = DAYS_PER_TURN; taken === DAYS_PER_TURN && !signal?.aborted; done += taken) {
      taken = await database.transaction(async (tx) => {
        const days = await takeDirtyDays(tx, kind, DAYS_PER_TURN);
        if (days.length > 0) await WRITE[kind](tx, days);
        return days.length;
      });
    }
  }
  return done;
}
