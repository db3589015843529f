import { type WallClock, wallTime } from "@/lib/market/clock";
import { priceDigits } from "@/lib/market/price-digits";
import { groupBy } from "@/lib/runtime/group-by";
import { type MeasuredDifference, measureAgainstSignal } from "./decompose";
import { median } from "./funnel";
import type { SignalJourney } from "./journey";

/**
 * Differences between the entries of a group of positions and of their signals. Below 0: worse than the signal's entry.
 */
export interface EntryFigures {
  key: string;
  n: number;
  /** Median time from the close of the signal's candle to the opening of the position, in ms. */
  lateMs: number | null;
  /** Sum over the group of what the delay gained or lost, in millionths of R. */
  lateMicroR: bigint;
  slippageMicroR: bigint;
  /** Mean in price units; null for a group of several symbols. */
  latePrice: number | null;
  slippagePrice: number | null;
  /** Number of positions whose report shows the money value of a price move: the sample of the next two sums. */
  nMoney: number;
  /**
   * Sum of what the delay gained or lost, in the account's currency, as `slippageMoney` is for the slippage. Amounts of
   * several accounts are added without conversion.
   */
  lateMoney: number;
  slippageMoney: number;
}

export type EntryGrouping = "symbol" | "hour" | "month";

/** The first position of a signal, compared with it. */
export type ComparedEntry = Pick<SignalJourney, "signal"> & {
  position: SignalJourney["positions"][number];
  measured: MeasuredDifference;
};

/**
 * The first position of each signal, compared with the signal. Left out: positions and signals without a result, and
 * positions without plausible prices.
 */
export function comparedEntriesOf(journeys: readonly SignalJourney[]): ComparedEntry[] {
  return journeys.flatMap(({ signal, positions: [position], market }) => {
    const measured = position && measureAgainstSignal(signal, position, market);
    return position && measured ? [{ signal, position, measured }] : [];
  });
}

/** Figures of entries by symbol, or by hour or month of the opening on `clock`. Sorted by key. */
export function entryFiguresBy(
  entries: readonly ComparedEntry[],
  by: EntryGrouping,
  clock: WallClock,
): EntryFigures[] {
  const keyOf = ({ signal, position }: ComparedEntry): string => {
    if (by === "symbol") return signal.symbol;
    const wall = wallTime(clock, new Date(position.openedMs)).toISOString();
    return by === "hour" ? wall.slice(11, 13) : wall.slice(0, 7);
  };
  return [...groupBy(entries, keyOf)]
    .map(([key, group]) => figuresOf(key, group))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Decimals for the prices of each symbol: as many as its signals' entries need. */
export function digitsBySymbol(
  slots: readonly { symbol: string; digits: number }[],
  entries: readonly { signal: Pick<ComparedEntry["signal"], "symbol" | "entryPrice"> }[],
): Map<string, number> {
  const bySymbol = groupBy(entries, ({ signal }) => signal.symbol);
  return new Map(
    slots.map(({ symbol, digits }) => {
      const prices = (bySymbol.get(symbol) ?? []).map(({ signal }) => signal.entryPrice);
      return [symbol, priceDigits(digits, prices)];
    }),
  );
}

function figuresOf(key: string, group: readonly ComparedEntry[]): EntryFigures {
  const isOneSymbol = new Set(group.map(({ signal }) => signal.symbol)).size === 1;
  const worths = group.flatMap((entry) => {
    const perPrice = moneyPerPrice(entry);
    return perPrice === null ? [] : [{ ...entry.measured, perPrice }];
  });
  const mean = (of: (measured: MeasuredDifference) => number) =>
    isOneSymbol ? group.reduce((sum, { measured }) => sum + of(measured), 0) / group.length : null;
  return {
    key,
    n: group.length,
    lateMs: median(group.map(({ signal, position }) => Math.max(0, position.openedMs - signal.closesMs))),
    lateMicroR: group.reduce((sum, { measured }) => sum + measured.lateR, 0n),
    slippageMicroR: group.reduce((sum, { measured }) => sum + measured.slippageR, 0n),
    latePrice: mean(({ latePrice }) => latePrice),
    slippagePrice: mean(({ slippagePrice }) => slippagePrice),
    nMoney: worths.length,
    lateMoney: worths.reduce((sum, { latePrice, perPrice }) => sum + latePrice * perPrice, 0),
    slippageMoney: worths.reduce((sum, { slippagePrice, perPrice }) => sum + slippagePrice * perPrice, 0),
  };
}

/**
 * A move below this part of D does not show the value of a price unit, because commission dominates its result.
 */
const MIN_MOVE_R = 0.1;

/** Money per price unit in a position's favour; null if its report does not show it. */
function moneyPerPrice({ signal, position }: ComparedEntry): number | null {
  const { entryPrice, exitPrice, pnl } = position;
  if (entryPrice === null || exitPrice === null || pnl === null) return null;
  const move = (signal.side === "BUY" ? 1 : -1) * (exitPrice - entryPrice);
  if (Math.abs(move) < MIN_MOVE_R * (signal.barrierDistance ?? Number.POSITIVE_INFINITY)) return null;
  const perPrice = pnl / move;
  return perPrice > 0 && Number.isFinite(perPrice) ? perPrice : null;
}
