import type { CalendarName, Timeframe } from "@/lib/vocabulary";

/** One instrument of the simulated market. */
export interface DemoSymbol {
  symbol: string;
  calendar: CalendarName;
  digits: number;
  /** The price around which the simulation wanders. */
  anchorPrice: number;
  /** Standard deviation of the logarithmic return of 24 open hours. */
  dailyVolatility: number;
}

/** The instruments of the simulated market, with volatilities of a usual size and round anchor prices. */
export const DEMO_SYMBOLS: readonly DemoSymbol[] = [
  { symbol: "EURUSD", calendar: "fx", digits: 5, anchorPrice: 1.1, dailyVolatility: 0.0045 },
  { symbol: "GBPUSD", calendar: "fx", digits: 5, anchorPrice: 1.28, dailyVolatility: 0.0052 },
  { symbol: "XAUUSD", calendar: "metal", digits: 2, anchorPrice: 2500, dailyVolatility: 0.0095 },
  { symbol: "USDJPY", calendar: "fx", digits: 3, anchorPrice: 150, dailyVolatility: 0.0055 },
  { symbol: "BTCUSD", calendar: "crypto", digits: 2, anchorPrice: 65_000, dailyVolatility: 0.023 },
];

/** The timeframes of the simulated market. Every symbol has a slot of each. */
export const DEMO_TIMEFRAMES = ["M15", "H1", "H4"] as const satisfies readonly Timeframe[];

/** Whether a slot has a symbol and a timeframe of the simulated market. */
export function isDemoSlot(slot: { symbol: string; timeframe: Timeframe }): boolean {
  return (
    DEMO_TIMEFRAMES.some((timeframe) => timeframe === slot.timeframe) &&
    DEMO_SYMBOLS.some(({ symbol }) => symbol === slot.symbol)
  );
}
