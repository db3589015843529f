import type { SignalRow } from "@/db/queries/signals";
import type { SignalDraft } from "@/lib/engine/baseline";
import { candleCloseAt } from "@/lib/market/timeframes";
import type { Timeframe } from "@/lib/vocabulary";

/** A draft as the row that is recorded. */
export function signalRow(
  slotId: number,
  timeframe: Timeframe,
  modelV: string,
  draft: SignalDraft,
): SignalRow {
  const { signal, confidence, probBuy, probSell, probNo, regime, expectedRr } = draft;
  const ts = new Date(draft.tsMs);
  return {
    slotId,
    ts,
    closesAt: candleCloseAt(ts, timeframe),
    modelV,
    signal,
    confidence,
    probBuy,
    probSell,
    probNo,
    regime,
    expectedRr,
  };
}
