import type { ChartCandle } from "@/app/_components/chart/candle-paths";
import { priceDigits } from "@/lib/market/price-digits";
import { parseTimeframe, timeframeMinutes } from "@/lib/market/timeframes";
import { areCandlesShown, readPublicCandles } from "@/lib/signals/record/read-candles";
import { readResolvedSignals } from "@/lib/signals/record/read-signals";
import { isDemonstration } from "@/lib/signals/record/record-rule";
import { addMinutes } from "@/lib/time";
import type { Direction, ExitReason, Timeframe } from "@/lib/vocabulary";
import { PublicSignalsQuery, type ResolvedSignal } from "@/lib/wire/contracts/record";

/** A direction whose horizon is complete, with the candles around it. */
export interface FinishedSignal extends Levels {
  symbol: string;
  timeframe: Timeframe;
  direction: Exclude<Direction, "NO_TRADE">;
  confidence: number;
  /** Open time of the signal's candle, at whose close it was entered. */
  at: Date;
  /** From some before the signal's candle to the one that the exit lies in. */
  candles: ChartCandle[];
  /** How many of them follow the signal's candle. */
  nHeld: number;
  digits: number;
}

interface Levels {
  entry: number;
  target: number;
  stop: number;
  exit: number;
  exitReason: ExitReason;
  endedAt: Date;
  /** In R, after costs. */
  result: number;
}

/** Candles shown before the signal. */
const BEFORE = 14;
/** Newest signals among which a direction is looked for. */
const LOOKED_AT = 200;

/**
 * The newest complete direction of all slots whose candles anyone may see; null without one. `digitsOf` gives the decimal
 * places of a symbol's prices.
 */
export async function readFinishedSignal(
  digitsOf: (symbol: string) => number,
): Promise<FinishedSignal | null> {
  const { items } = await readResolvedSignals(
    PublicSignalsQuery.parse({ order: "newest", limit: String(LOOKED_AT) }),
  );
  const hidden = new Set<string>();
  for (const signal of items) {
    // On a simulated market nothing is in time: there the signal stands under the page's mark.
    if (signal.entered_later && !(signal.simulated && isDemonstration())) continue;
    const levels = levelsOf(signal);
    const { symbol } = signal;
    const timeframe = parseTimeframe(signal.timeframe);
    const slot = `${symbol}/${timeframe}`;
    if (levels === null || timeframe === null || signal.signal === "NO_TRADE" || hidden.has(slot)) continue;
    if (!(await areCandlesShown({ symbol, timeframe }))) {
      hidden.add(slot);
      continue;
    }
    const { items: read } = await readPublicCandles({
      symbol,
      tf_code: timeframe,
      from: addMinutes(signal.ts, -BEFORE * timeframeMinutes(timeframe)),
      to: levels.endedAt,
    });
    const candles = read
      .filter(({ ts }) => ts < levels.endedAt)
      .map(({ ts, ...prices }) => ({ at: ts, ...prices }));
    const nHeld = candles.filter(({ at }) => at > signal.ts).length;
    // Without the candles around it there is nothing to look at.
    if (nHeld === 0 || nHeld === candles.length) continue;
    return {
      symbol,
      timeframe,
      ...levels,
      direction: signal.signal,
      confidence: signal.confidence,
      at: signal.ts,
      candles,
      nHeld,
      digits: priceDigits(digitsOf(symbol), [levels.entry, levels.stop, levels.target, levels.exit]),
    };
  }
  return null;
}

function levelsOf(signal: ResolvedSignal): Levels | null {
  const { entry_price: entry, barrier_distance: distance, exit_price: exit } = signal;
  const { result_r: result, exit_reason: exitReason, ended_at: endedAt } = signal;
  if (entry === null || distance === null || exit === null) return null;
  if (result === null || exitReason === null || endedAt === null) return null;
  const side = signal.signal === "BUY" ? 1 : -1;
  return {
    entry,
    target: entry + side * signal.expected_rr * distance,
    stop: entry - side * distance,
    exit,
    exitReason,
    endedAt,
    result,
  };
}
