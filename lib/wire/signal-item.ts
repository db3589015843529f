import type { z } from "zod";
import type { Direction, Timeframe } from "@/lib/vocabulary";
import { roundProbability } from "./contracts/shared";
import type { ScanItem } from "./contracts/signals";

/** The values of a signal in the code. */
interface KnownSignal {
  symbol: string;
  timeframe: Timeframe;
  signal: Direction;
  confidence: number;
  probBuy: number;
  probSell: number;
  probNo: number;
  regime: string;
  expectedRr: number;
  ts: Date;
  modelV: string;
}

/** Converts a signal to its JSON form in the API. */
export function toScanItem(signal: KnownSignal): z.output<typeof ScanItem> {
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

/** Converts a signal's own levels to the fields of `expand=levels`. */
export const toLevelFields = ({ stop, target, horizonCandles }: SignalLevels) => ({
  stop,
  target,
  horizon_candles: horizonCandles,
});

interface SignalLevels {
  stop: number | null;
  target: number | null;
  horizonCandles: number | null;
}
