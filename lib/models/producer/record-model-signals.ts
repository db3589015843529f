import type { Database } from "@/db/client";
import { type CandleColumns, readCandlesAround } from "@/db/queries/candles";
import { upsertFeatureValues } from "@/db/queries/features";
import type { SignalProductionState } from "@/db/queries/slots";
import { forecastSignals, requiredCandles, type TrainedModel } from "@/lib/engine/trained-model";
import { sliceCandles } from "@/lib/market/candles";
import { recordSignals } from "@/lib/signals/record-signals";
import { addMs } from "@/lib/time";
import { readNewestCandles } from "./cached-candles";
import { readDailyCalibration, recordDailyCalibration } from "./daily-calibration";
import { runOneSlotAtATime } from "./one-slot-at-a-time";
import type { WriteWithSignals } from "./record-due-ranges";
import { signalRow } from "./signal-row";

const ROWS_PER_TRANSACTION = 2_000;

/**
 * Stores a trained model's signals for the first settled candle after `after` (open time; null: only the newest candle)
 * that satisfies `isDue`, and for all settled candles after it, with the calibration and the feature values behind
 * them. An interrupted run can be repeated. Returns the number of new signals.
 */
export async function recordModelSignals(
  database: Database,
  slot: SignalProductionState,
  range: {
    after: Date | null;
    now: Date;
    isDue: (ts: Date) => boolean;
    alongside?: WriteWithSignals | undefined;
  },
  trained: TrainedModel,
): Promise<number> {
  const { modelV, lastSettledTs } = slot;
  const after = range.after ?? addMs(lastSettledTs, -1);
  const candles = await readHistory(database, slot, after, requiredCandles(trained));
  const afterMs = after.getTime();
  const fromIndex = candles.ts.findIndex((ts) => ts > afterMs && range.isDue(new Date(ts)));
  if (fromIndex < 0) return 0;
  const model = { slotId: slot.slotId, modelV, timeframe: slot.timeframe, trained };
  return runOneSlotAtATime(async () => {
    const daily = await readDailyCalibration(database, model, candles, fromIndex);
    const { drafts, rawNo, features } = forecastSignals({
      trained,
      candles,
      fromIndex,
      toIndex: candles.ts.length,
      cost: { kind: slot.costKind, value: slot.costValue },
      daily,
    });

    const rows = drafts.map((draft, i) => signalRow(slot, modelV, draft, range.now, rawNo[i]));
    let recorded = 0;
    for (let i = 0; i < rows.length; i += ROWS_PER_TRANSACTION) {
      const chunk = rows.slice(i, i + ROWS_PER_TRANSACTION);
      recorded += await database.transaction(async (tx) => {
        await recordDailyCalibration(tx, model, daily);
        await range.alongside?.(tx);
        await upsertFeatureValues(
          tx,
          chunk.map(({ slotId, ts }, k) => ({ slotId, ts, modelV, values: features[i + k] ?? {} })),
        );
        return recordSignals(tx, chunk);
      });
    }
    return recorded;
  });
}

/**
 * A slot's settled candles from `after` (open time) on, preceded by up to `before` earlier ones. Uses the cached
 * candles if they reach back far enough.
 */
async function readHistory(
  database: Database,
  slot: SignalProductionState,
  after: Date,
  before: number,
): Promise<CandleColumns> {
  const newest = await readNewestCandles(database, slot);
  const place = newest.ts.findIndex((ts) => ts >= after.getTime());
  const end = newest.ts.findLastIndex((ts) => ts <= slot.lastSettledTs.getTime()) + 1;
  if (place >= before) return sliceCandles(newest, place - before, end);
  const { slotId, lastSettledTs } = slot;
  return readCandlesAround(database, slotId, { from: after, to: lastSettledTs, before, after: 0 });
}
