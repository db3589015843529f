import type { IssuedSignal, MarketPrice, ReportedPosition } from "@/db/queries/own-record";
import type { NotTradedReason } from "@/lib/vocabulary";

/** Amounts are whole millionths of R, so that sums are exact in any order. */
const MICRO = 1_000_000;
/** A price further than this from the signal's price, in R, belongs to another instrument and is ignored. */
const MAX_DISTANCE_R = 100;
/** A price this many times the signal's price, or this small a part of it, belongs to another instrument too. */
const MAX_PRICE_RATIO = 2;

/** The parts of the difference between the model's result and a subscriber's own, in order of time. */
export const DIFFERENCE_PARTS = [
  "unknown",
  "notFetched",
  "notFollowed",
  "withoutResult",
  "late",
  "slippage",
  "ownExits",
  "again",
] as const;
export type DifferencePart = (typeof DIFFERENCE_PARTS)[number];

export interface DecompositionSum {
  /** Number of signals or positions in this part. */
  n: number;
  microR: bigint;
}

/** A signal, whether it was fetched, and the positions that followed it, the earliest opening first. */
export interface DecompositionCase {
  signal: IssuedSignal;
  /**
   * Whether an answer showed the signal; null: unknown, because the fetches of that time are not stored, or the signal was
   * made too late to be fetched in time.
   */
  isFetched: boolean | null;
  /** The reason for not trading that the client reported; null: none. */
  why: NotTradedReason | null;
  positions: readonly ReportedPosition[];
  /** The market's price when the first of the positions opened; null: unknown. */
  market: MarketPrice | null;
}

export interface Decomposition {
  /** The model's result: all signals with an outcome. */
  model: DecompositionSum;
  parts: Record<DifferencePart, DecompositionSum>;
  /** `notFollowed` by the client's reason, the most frequent first; the sums add up to it exactly. */
  whyNot: (DecompositionSum & { reason: NotTradedReason | null })[];
  /** The subscriber's own result: the positions with a result that followed one of these signals. */
  own: DecompositionSum;
}

/**
 * Difference between a position and its signal, in millionths of R and in price units; below 0: worse than the model.
 * `ownR` is the position's own result.
 */
export interface MeasuredDifference {
  lateR: bigint;
  slippageR: bigint;
  ownExitR: bigint;
  ownR: bigint;
  slippagePrice: number;
  latePrice: number;
}

/**
 * From the model's result to the subscriber's own: `model` + all `parts` = `own`, exactly. Pure.
 *
 * The first position of a signal counts as following it; further ones count as `again`. A position's own result
 * is its move from entry to exit over the signal's D, without costs, because real prices include the spread.
 */
export function decomposeResultDifference(cases: readonly DecompositionCase[]): Decomposition {
  const part = (): DecompositionSum => ({ n: 0, microR: 0n });
  const result: Decomposition = {
    model: part(),
    parts: {
      ...{ unknown: part(), notFetched: part(), notFollowed: part(), withoutResult: part() },
      ...{ late: part(), slippage: part(), ownExits: part(), again: part() },
    },
    whyNot: [],
    own: part(),
  };
  const { model, parts, own } = result;
  const reasons = new Map<NotTradedReason | null, DecompositionSum>();
  const add = (to: DecompositionSum, microR: bigint) => {
    to.n++;
    to.microR += microR;
  };
  for (const { signal, isFetched, why, positions, market } of cases) {
    const modelR = modelResultMicroR(signal);
    if (modelR === null) continue;
    add(model, modelR);
    const first = positions[0];
    const measured = first ? measureAgainstSignal(signal, first, market) : null;
    // A client that reports why it did not trade a signal must have received it.
    if (!first && isFetched === null && why === null) add(parts.unknown, -modelR);
    else if (!first && isFetched === false && why === null) add(parts.notFetched, -modelR);
    else if (!first) {
      const ofReason = reasons.get(why) ?? part();
      reasons.set(why, ofReason);
      add(parts.notFollowed, -modelR);
      add(ofReason, -modelR);
    } else if (!measured) add(parts.withoutResult, -modelR);
    else {
      add(parts.late, measured.lateR);
      add(parts.slippage, measured.slippageR);
      add(parts.ownExits, measured.ownExitR);
      add(own, measured.ownR);
    }
    for (let i = 1; i < positions.length; i++) {
      const position = positions[i];
      const ownR = position ? ownResultMicroR(signal, position) : null;
      if (ownR === null) continue;
      add(parts.again, ownR);
      add(own, ownR);
    }
  }
  result.whyNot = [...reasons]
    .map(([reason, { n, microR }]) => ({ reason, n, microR }))
    .sort((a, b) => b.n - a.n || String(a.reason).localeCompare(String(b.reason)));
  return result;
}

/** The model's result of a signal in millionths of R, after costs; null without an outcome. */
export function modelResultMicroR(signal: IssuedSignal): bigint | null {
  return signal.resultR === null ? null : micro(signal.resultR);
}

/**
 * A position's result, by its own prices, in millionths of its signal's R; null while the position or the signal's
 * outcome is open, and without plausible prices.
 */
export function ownResultMicroR(signal: IssuedSignal, position: ReportedPosition): bigint | null {
  const move = believedMove(signal, position);
  return move && micro(move.ownMove / move.distance);
}

interface BelievedMove {
  /** Entry, exit and D of the signal, and its result in R. */
  entry: number;
  modelExit: number;
  distance: number;
  resultR: number;
  ownEntry: number;
  /** Move from the position's entry to its exit in the signal's direction, in price. */
  ownMove: number;
  direction: 1 | -1;
}

/** A position's move compared with its signal; null while either is open, or if its prices are not plausible. */
function believedMove(signal: IssuedSignal, position: ReportedPosition): BelievedMove | null {
  const { entryPrice: entry, exitPrice: modelExit, barrierDistance: distance, resultR } = signal;
  if (entry === null || modelExit === null || distance === null || resultR === null) return null;
  const { entryPrice: ownEntry, exitPrice: ownExit, closedMs } = position;
  if (closedMs === null || ownEntry === null || ownExit === null || !(distance > 0)) return null;
  if (!isNear(ownEntry, entry, distance) || !isNear(ownExit, entry, distance)) return null;
  const direction = signal.side === "BUY" ? 1 : -1;
  return {
    entry,
    modelExit,
    distance,
    resultR,
    ownEntry,
    ownMove: direction * (ownExit - ownEntry),
    direction,
  };
}

/**
 * Compares a position with its signal; null while the position or the signal's outcome is open, and without plausible
 * prices.
 *
 * Late is the market's move up to the last candle that closed before the opening. Slippage is the rest of the
 * difference between the entries, plus the costs that the model's result includes. Exit is the remainder.
 */
export function measureAgainstSignal(
  signal: IssuedSignal,
  position: ReportedPosition,
  market: MarketPrice | null,
): MeasuredDifference | null {
  const move = believedMove(signal, position);
  if (move === null) return null;
  const { entry, modelExit, distance, resultR, ownEntry, direction } = move;
  const costPrice = direction * (modelExit - entry) - resultR * distance;
  const latePrice = -direction * (marketAt(signal, position, market) - entry);
  const slippagePrice = -direction * (ownEntry - entry) - latePrice + costPrice;
  const ownR = micro(move.ownMove / distance);
  const lateR = micro(latePrice / distance);
  const slippageR = micro(slippagePrice / distance);
  // The exit absorbs the rounding error, at most a millionth.
  const ownExitR = ownR - micro(resultR) - lateR - slippageR;
  return { lateR, slippageR, ownExitR, ownR, latePrice, slippagePrice };
}

/**
 * The market's price when the position opened, from the last closed candle; the signal's entry until a later candle has
 * closed, and if the position's times are suspect or the price is not plausible.
 */
function marketAt(signal: IssuedSignal, position: ReportedPosition, market: MarketPrice | null): number {
  const entry = signal.entryPrice ?? 0;
  if (market === null || position.clockSuspect || market.closedMs <= signal.closesMs) return entry;
  return isNear(market.price, entry, signal.barrierDistance ?? 0) ? market.price : entry;
}

/** Whether two prices can belong to the same instrument. */
function isNear(price: number, entry: number, distance: number): boolean {
  return (
    Math.abs(price - entry) <= MAX_DISTANCE_R * distance &&
    price < MAX_PRICE_RATIO * entry &&
    entry < MAX_PRICE_RATIO * price
  );
}

const micro = (r: number): bigint => BigInt(Math.round(r * MICRO));

/** Converts millionths of R to R for display. */
export const microRToR = (microR: bigint): number => Number(microR) / MICRO;
