import type { SignalRow } from "@/db/queries/signals";
import type { Slot } from "@/db/queries/slots";
import type { SignalDraft } from "@/lib/engine/baseline";
import { candleCloseAt } from "@/lib/market/timeframes";
import { countsAsLive } from "./due-candles";

/** The database row of a signal draft that is recorded at `now`. */
export function signalRow(
  slot: Slot & { beside?: boolean },
  modelV: string,
  draft: SignalDraft,
  now: Date,
  rawProbNo?: number,
): SignalRow {
  const { signal, confidence, probBuy, probSell, probNo, regime, expectedRr } = draft;
  const ts = new Date(draft.tsMs);
  const closesAt = candleCloseAt(ts, slot.timeframe);
  return {
    slotId: slot.slotId,
    ts,
    closesAt,
    backfilled: !countsAsLive(slot, closesAt, now),
    ...(slot.beside === true && { beside: true }),
    modelV,
    signal,
    confidence,
    probBuy,
    probSell,
    probNo,
    regime,
    expectedRr,
    ...(rawProbNo !== undefined && { rawProbNo }),
    ...(draft.classFrequencies !== undefined && { classFreq: draft.classFrequencies }),
  };
}
