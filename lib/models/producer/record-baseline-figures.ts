import type { Database } from "@/db/client";
import { readCandles } from "@/db/queries/candles";
import { bumpModelsVersion, listUnmeasuredSlots, saveWalkForward } from "@/db/queries/models";
import { BASELINE_VERSION } from "@/lib/engine/baseline";
import { baselineFigures } from "@/lib/engine/baseline-figures";
import { addDays } from "@/lib/time";

/** Maximum number of candles that are measured, so that a slot takes some tens of milliseconds. */
const NEWEST_CANDLES = 10_000;
const EVERY_DAYS = 1;

/**
 * Computes and stores the walk-forward figures of the baseline for each slot whose champion it is and where it was not
 * measured in the last 24 hours. A slot with too few candles gets no figures and is tried again after 24 hours. Returns
 * the number of slots that got figures.
 */
export async function recordBaselineFigures(
  database: Database,
  now: Date,
  signal: AbortSignal,
): Promise<number> {
  const slots = await listUnmeasuredSlots(database, {
    modelV: BASELINE_VERSION,
    measuredBefore: addDays(now, -EVERY_DAYS),
  });
  let measured = 0;
  for (const { slotId, costKind, costValue } of slots) {
    if (signal.aborted) break;
    const candles = await readCandles(database, slotId, { newest: NEWEST_CANDLES });
    const figures = baselineFigures(candles, { kind: costKind, value: costValue });
    await saveWalkForward(database, {
      slotId,
      modelV: BASELINE_VERSION,
      aucWf: figures?.auc ?? null,
      pfWf: figures?.profitFactor ?? null,
      nWf: figures?.n ?? null,
      measuredAt: now,
    });
    if (figures !== null) measured++;
  }
  if (measured > 0) await bumpModelsVersion(database);
  return measured;
}
