import type { PriceLevel } from "@/app/_components/chart/candle-drawing";
import type { SignalPrices } from "@/lib/signals/signal-prices";

/** The prices of a signal as lines in a chart. */
export const signalPriceLevels = ({ entryPrice, stopPrice, targetPrice }: SignalPrices): PriceLevel[] => [
  { kind: "entry", price: entryPrice, label: "entry" },
  { kind: "stop", price: stopPrice, label: "stop" },
  ...(targetPrice === null ? [] : [{ kind: "target" as const, price: targetPrice, label: "target" }]),
];
