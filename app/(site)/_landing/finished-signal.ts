import type { ChartCandle } from "@/app/_components/chart/candle-paths";
import { priceDigits } from "@/lib/market/price-digits";
import { timeframeMinutes } from "@/lib/market/timeframes";
import { areCandlesShown, readPublicCandles } from "@/lib/signals/record/read-candles";
import { readResolvedSignals } from "@/lib/signals/record/read-signals";
import { isDemonstration } from "@/lib/signals/record/record-rule";
import { addMinutes } from "@/lib/time";
import type { Direction, Timeframe } from "@/lib/vocabulary";
import { PublicSignalsQuery, type ResolvedSignal } from "@/lib/wire/contracts/record";

/** A direction whose horizon is complete, with the candles around it. */
export interface FinishedSignal {
  symbol: string;
  timeframe: string;
  direction: Direction;
  confidence: number;
  /** Open time of the candle that it was made from. */
  at: Date;
  entry: number;
  target: number;
  stop: number;
  /** In R, after costs. */
  result: number;
  candles: ChartCandle[];
  digits: number;
}

/** Candles shown before the signal. */
const BEFORE = 16;
/** A direction is looked for among so many of the newest signals. */
const LOOKED_AT = 200;

/** The newest complete direction of a slot; null where there is none, or where candles are not shown to strangers. */
export async function readFinishedSignal(
  slot: { symbol: string; timeframe: Timeframe },
  digits: number,
): Promise<FinishedSignal | null> {
  const { items } = await readResolvedSignals(
    PublicSignalsQuery.parse({
      symbol: slot.symbol,
      tf_code: slot.timeframe,
      order: "newest",
      limit: String(LOOKED_AT),
    }),
  );
  for (const signal of items) {
    // On a simulated market nothing is in time: there the signal stands under the page's mark.
    if (signal.entered_later && !(signal.simulated && isDemonstration())) continue;
    const levels = levelsOf(signal);
    if (levels === null) continue;
    if (!(await areCandlesShown(slot))) return null;
    const minutes = timeframeMinutes(slot.timeframe);
    const { items: candles } = await readPublicCandles({
      symbol: slot.symbol,
      tf_code: slot.timeframe,
      from: addMinutes(signal.ts, -BEFORE * minutes),
      to: addMinutes(levels.endedAt, minutes),
    });
    return {
      ...slot,
      ...levels,
      direction: signal.signal,
      confidence: signal.confidence,
      at: signal.ts,
      candles: candles.map(({ ts, ...prices }) => ({ at: ts, ...prices })),
      digits: priceDigits(digits, [levels.entry, levels.stop, levels.target]),
    };
  }
  return null;
}

function levelsOf(signal: ResolvedSignal) {
  const {
    signal: direction,
    entry_price: entry,
    barrier_distance: distance,
    result_r: result,
    ended_at: endedAt,
  } = signal;
  if (direction === "NO_TRADE" || entry === null || distance === null || result === null || endedAt === null)
    return null;
  const side = direction === "BUY" ? 1 : -1;
  return { entry, target: entry + side * distance, stop: entry - side * distance, result, endedAt };
}
