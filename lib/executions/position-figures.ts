import type { CandleColumns } from "@/db/queries/candles";
import { MINUTE_MS } from "@/lib/time";
import type { Side } from "@/lib/vocabulary";

/**
 * Allows for a client's slow clock, and for times without seconds: an opening may precede its signal by this
 * much.
 */
const CLOCK_TOLERANCE_MS = MINUTE_MS;
/** A price this many times the candles' price, or this small a part of it, belongs to another instrument. */
const MAX_PRICE_RATIO = 2;

/** The fields of a position from which its figures are computed. Prices are in price units. */
export interface PositionFacts {
  side: Side;
  openedAt: Date;
  /** null: still open. */
  closedAt: Date | null;
  entryPrice: number | null;
  exitPrice: number | null;
}

/** Prices of the followed signal: the close of its candle as entry, and the distance from there to its stop. */
export interface FollowedSignalPrices {
  entryPrice: number;
  distance: number;
}

export interface PositionFigures {
  /** From the close of the signal's candle to the opening; below 0 if the client's clock is slow. */
  delayMs: number | null;
  /** Difference to the signal's entry, in the position's direction: above 0 is worse. */
  slippage: number | null;
  /** Move from entry to exit in the position's direction. */
  move: number | null;
  /** Largest moves against and with the position while it was open, both at least 0. */
  adverse: number | null;
  favourable: number | null;
}

/** Figures of one position, in price units and ms. `held` are the candles during the position. Pure. */
export function positionFigures(
  position: PositionFacts,
  signal: { closesAt: Date; prices: FollowedSignalPrices | null } | null,
  held: Pick<CandleColumns, "high" | "low">,
): PositionFigures {
  const direction = position.side === "BUY" ? 1 : -1;
  const { entryPrice, exitPrice, openedAt, closedAt } = position;
  const has = entryPrice !== null && held.high.length > 0;
  const highest = Math.max(...held.high);
  const lowest = Math.min(...held.low);
  const isOfCandles = has && entryPrice < highest * MAX_PRICE_RATIO && entryPrice > lowest / MAX_PRICE_RATIO;
  const up = isOfCandles ? Math.max(0, highest - entryPrice) : null;
  const down = isOfCandles ? Math.max(0, entryPrice - lowest) : null;
  return {
    delayMs: signal && openedAt.getTime() - signal.closesAt.getTime(),
    slippage:
      signal?.prices && entryPrice !== null ? direction * (entryPrice - signal.prices.entryPrice) : null,
    move: entryPrice !== null && exitPrice !== null && closedAt ? direction * (exitPrice - entryPrice) : null,
    adverse: direction === 1 ? down : up,
    favourable: direction === 1 ? up : down,
  };
}

/**
 * The signal that a position probably followed, if its report names none: the newest one of its slot at the opening, or
 * else the next one if it was created within a minute after. Null if neither has the position's side. `signals` are
 * those of the slot around the opening, newest first. Pure.
 */
export function impliedSignalOf<S extends { signal: string; createdAt: Date }>(
  signals: readonly S[],
  { side, openedAt }: Pick<PositionFacts, "side" | "openedAt">,
): S | null {
  const index = signals.findIndex(({ createdAt }) => createdAt <= openedAt);
  const stood = signals[index];
  if (stood?.signal === side) return stood;
  const next = index === -1 ? signals.at(-1) : signals[index - 1];
  const isInTime = next && next.createdAt.getTime() - openedAt.getTime() <= CLOCK_TOLERANCE_MS;
  return isInTime && next.signal === side ? next : null;
}
