import type { Database } from "@/db/client";
import { readCandlesAround } from "@/db/queries/candles";
import { upsertFeatures } from "@/db/queries/features";
import type { SlotState } from "@/db/queries/slots";
import { FORECAST_CANDLES, forecastSignals, type TrainedModel } from "@/lib/engine/trained-model";
import { recordSignals } from "@/lib/signals/record-signals";
import { signalRow } from "./signal-row";

const ROWS_PER_TRANSACTION = 2_000;

/**
 * Records a trained model's signals for a slot's candles after its newest signal, and the feature values they were
 * made from. Idempotent: a run cut short is run again. Returns how many signals were new.
 *
 * A slot without any signal starts with its newest candle: a model makes no signals for the time before it.
 */
export async function forecastWithModel(
  database: Database,
  slot: SlotState,
  trained: TrainedModel,
): Promise<number> {
  const { timeframe, modelV } = slot;
  if (modelV === null || slot.lastSettledTs === null) return 0;
  const candles = await readCandlesAround(database, slot.slotId, {
    from: slot.lastSignalTs ?? slot.lastSettledTs,
    to: slot.lastSettledTs,
    before: FORECAST_CANDLES,
    after: 0,
  });
  const afterMs = slot.lastSignalTs?.getTime() ?? slot.lastSettledTs.getTime() - 1;
  const fromIndex = candles.ts.findIndex((ts) => ts > afterMs);
  if (fromIndex < 0) return 0;
  const { drafts, features } = forecastSignals({
    trained,
    candles,
    fromIndex,
    toIndex: candles.ts.length,
    cost: { kind: slot.costKind, value: slot.costValue },
  });

  const rows = drafts.map((draft) => signalRow(slot.slotId, timeframe, modelV, draft));
  let recorded = 0;
  for (let i = 0; i < rows.length; i += ROWS_PER_TRANSACTION) {
    const chunk = rows.slice(i, i + ROWS_PER_TRANSACTION);
    recorded += await database.transaction((tx) => recordSignals(tx, chunk));
    // Signals come first: statistics may be late, a signal may not.
    await upsertFeatures(
      database,
      chunk.map(({ slotId, ts }, k) => ({ slotId, ts, modelV, values: features[i + k] ?? {} })),
    );
  }
  return recorded;
}
