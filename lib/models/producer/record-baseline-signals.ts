import type { Database } from "@/db/client";
import { findFirstCandleTime } from "@/db/queries/candles";
import { listSignalledCandles, type SignalRow } from "@/db/queries/signals";
import type { Slot } from "@/db/queries/slots";
import { BASELINE_VERSION, type BaselineSettings, produceBaselineSignals } from "@/lib/engine/baseline";
import { recordSignals } from "@/lib/signals/record-signals";
import { baselineBlockOf, maxHistoryStartsInThreeYears } from "./baseline-block";
import { readBaselineHistory } from "./baseline-history";
import { runOneSlotAtATime } from "./one-slot-at-a-time";
import type { WriteWithSignals } from "./record-due-ranges";
import { signalRow } from "./signal-row";

const ROWS_PER_TRANSACTION = 5_000;

/**
 * Makes the baseline's signals for a slot's candles after `after` (open time; null: all) that satisfy
 * `isDue`, and stores the missing ones. Returns the number of new signals.
 */
export async function recordBaselineSignals(
  database: Database,
  slot: Slot & { beside?: boolean },
  range: {
    after: Date | null;
    now: Date;
    isDue?: (ts: Date) => boolean;
    alongside?: WriteWithSignals | undefined;
  },
  caution: Partial<BaselineSettings> = {},
): Promise<number> {
  const { timeframe, slotId } = slot;
  const settings = { ...caution, histories: maxHistoryStartsInThreeYears(timeframe) };
  const { after, now, isDue = () => true } = range;
  let recorded = 0;
  let nextTs = await findFirstCandleTime(database, slotId, after);
  while (nextTs !== null) {
    const block = baselineBlockOf(nextTs.getTime(), timeframe);
    const { candles, memory } = await readBaselineHistory(database, slot, block, settings);
    const nextMs = nextTs.getTime();
    const fromIndex = candles.ts.findIndex((ts) => ts >= nextMs);
    if (fromIndex < 0) return recorded;
    recorded += await runOneSlotAtATime(async () => {
      const drafts = produceBaselineSignals({
        candles,
        fromIndex,
        toIndex: candles.ts.length,
        cost: { kind: slot.costKind, value: slot.costValue },
        settings,
        // Counts that include later candles cannot be used: then the baseline counts again from the start of the block.
        ...(memory.fits(fromIndex) && { memory }),
      });
      const made = await listSignalledCandles(database, {
        slotId,
        modelV: BASELINE_VERSION,
        after: new Date(nextMs - 1),
      });
      const rows = drafts
        .filter((draft) => !made.has(draft.tsMs) && isDue(new Date(draft.tsMs)))
        .map((draft) => signalRow(slot, BASELINE_VERSION, draft, now));
      return record(database, rows, range.alongside);
    });
    nextTs = await findFirstCandleTime(database, slotId, new Date(block.untilMs - 1));
  }
  return recorded;
}

async function record(
  database: Database,
  rows: SignalRow[],
  alongside: WriteWithSignals | undefined,
): Promise<number> {
  let recorded = 0;
  for (let i = 0; i < rows.length; i += ROWS_PER_TRANSACTION) {
    const chunk = rows.slice(i, i + ROWS_PER_TRANSACTION);
    recorded += await database.transaction(async (tx) => {
      await alongside?.(tx);
      return recordSignals(tx, chunk);
    });
  }
  return recorded;
}
