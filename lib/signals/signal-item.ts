import type { z } from "zod";
import type { NamedSignal } from "@/db/queries/signals";
import { roundProbability } from "@/lib/wire/contracts/shared";
import type { ScanItem } from "@/lib/wire/contracts/signals";

/** A signal as the interface shows it. */
export function signalItem(signal: Omit<NamedSignal, "createdAt">): z.output<typeof ScanItem> {
  return {
    symbol: signal.symbol,
    timeframe: signal.timeframe,
    signal: signal.signal,
    confidence: roundProbability(signal.confidence),
    prob_buy: roundProbability(signal.probBuy),
    prob_sell: roundProbability(signal.probSell),
    prob_no: roundProbability(signal.probNo),
    regime: signal.regime,
    expected_rr: signal.expectedRr,
    ts: signal.ts,
    model_v: signal.modelV,
  };
}
