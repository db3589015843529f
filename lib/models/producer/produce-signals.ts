import type { Database } from "@/db/client";
import { readCandles } from "@/db/queries/candles";
import type { Slot } from "@/db/queries/slots";
import { BASELINE_VERSION, type BaselineSettings, produceBaselineSignals } from "@/lib/engine/baseline";
import { recordSignals } from "@/lib/signals/record-signals";
import { signalRow } from "./signal-row";

/** Candles that the baseline looks back on: three years of hours. */
export const HISTORY_CANDLES = 20_000;
const ROWS_PER_TRANSACTION = 5_000;

/**
 * Makes the signals of a slot for its candles after `after` (open time; null: all of them) and records them.
 * Recording is idempotent, so that a run cut short is simply run again. Returns how many were new.
 */
export async function produceSignals(
  database: Database,
  slot: Slot,
  range: { after: Date | null; historyCandles?: number },
  settings: Partial<BaselineSettings> = {},
): Promise<number> {
  const { timeframe } = slot;
  const candles = await readCandles(
    database,
    slot.slotId,
    range.historyCandles === undefined ? {} : { newest: range.historyCandles },
  );
  const afterMs = range.after?.getTime() ?? Number.NEGATIVE_INFINITY;
  const fromIndex = candles.ts.findIndex((ts) => ts > afterMs);
  if (fromIndex < 0) return 0;
  const drafts = produceBaselineSignals({
    candles,
    fromIndex,
    toIndex: candles.ts.length,
    cost: { kind: slot.costKind, value: slot.costValue },
    settings,
  });
  const rows = drafts.map((draft) => signalRow(slot.slotId, timeframe, BASELINE_VERSION, draft));
  let recorded = 0;
  for (let i = 0; i < rows.length; i += ROWS_PER_TRANSACTION) {
    recorded += await database.transaction((tx) =>
      recordSignals(tx, rows.slice(i, i + ROWS_PER_TRANSACTION)),
    );
  }
  return recorded;
}
