import type { IssuedSignal, MarketPrice, OwnPosition } from "@/db/queries/own-record";
import type { NotTradedReason } from "@/lib/vocabulary";

/** Amounts are whole millionths of R, so that sums are exact in whatever order they are made. */
const MICRO = 1_000_000;
/** A price so many R from the signal's own, or so many times it, is of another instrument: it is not believed. */
const MOST_R = 100;
const MOST_TIMES = 2;

/** What lies between the model's result and a subscriber's own, in the order in which it comes about. */
export const PARTS = [
  "notFetched",
  "notFollowed",
  "withoutResult",
  "late",
  "slippage",
  "ownExits",
  "again",
] as const;
export type PartName = (typeof PARTS)[number];

export interface Part {
  /** Signals, or positions, that it is made of. */
  n: number;
  microR: bigint;
}

/** A resolved signal, whether it was fetched, and the positions that followed it, first opened first. */
export interface Case {
  signal: IssuedSignal;
  /** null: from before fetches were recorded. */
  isFetched: boolean | null;
  /** Why the client did not trade it, as it told; null: it told nothing. */
  why: NotTradedReason | null;
  positions: readonly OwnPosition[];
  /** What the market was at when the first of them was opened. */
  market: MarketPrice | null;
}

export interface Decomposition {
  /** Signals whose horizon is complete. */
  model: Part;
  parts: Record<PartName, Part>;
  /** `notFollowed` by the reason that the client told, the most frequent first; the sums add up to it exactly. */
  whyNot: (Part & { reason: NotTradedReason | null })[];
  /** Positions with a result. */
  own: Part;
}

/** How one position went against the signal that it followed. In R and in price; less than 0 is worse than the model. */
export interface Measured {
  lateR: bigint;
  slippageR: bigint;
  ownExitR: bigint;
  ownR: bigint;
  slippagePrice: number;
  latePrice: number;
}

/**
 * From the model's result to one's own: `model` + all `parts` = `own`, exactly. Pure.
 *
 * A signal is followed by its first position; further ones are `again`. One's own result of a position is its move from
 * entry to exit over the signal's D, without costs, because real prices hold the spread.
 */
export function decompose(cases: readonly Case[]): Decomposition {
  const part = (): Part => ({ n: 0, microR: 0n });
  const result: Decomposition = {
    model: part(),
    parts: {
      ...{ notFetched: part(), notFollowed: part(), withoutResult: part() },
      ...{ late: part(), slippage: part(), ownExits: part(), again: part() },
    },
    whyNot: [],
    own: part(),
  };
  const { model, parts, own } = result;
  const reasons = new Map<NotTradedReason | null, Part>();
  const add = (to: Part, microR: bigint) => {
    to.n++;
    to.microR += microR;
  };
  for (const { signal, isFetched, why, positions, market } of cases) {
    const modelR = modelMicroR(signal);
    if (modelR === null) continue;
    add(model, modelR);
    const first = positions[0];
    const measured = first ? measure(signal, first, market) : null;
    // A client that tells why it did not trade a signal has got it, on whatever way.
    if (!first && isFetched === false && why === null) add(parts.notFetched, -modelR);
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
      const ownR = position ? ownMicroR(signal, position) : null;
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

/** What the model made of a signal, costs deducted; null while its horizon runs. */
export function modelMicroR(signal: IssuedSignal): bigint | null {
  return signal.resultR === null ? null : micro(signal.resultR);
}

/** What a position made of its signal, by its own prices; null while it is open, or without prices that can be believed. */
export function ownMicroR(signal: IssuedSignal, position: OwnPosition): bigint | null {
  const move = believedMove(signal, position);
  return move && micro(move.ownMove / move.distance);
}

interface BelievedMove {
  /** The signal's entry and exit, D, and the result in R. */
  entry: number;
  modelExit: number;
  distance: number;
  resultR: number;
  ownEntry: number;
  /** From the position's entry to its exit, in price, in favour of the signal. */
  ownMove: number;
  direction: 1 | -1;
}

/** What a position moved; null while it or its signal is open, or without prices that can be believed. */
function believedMove(signal: IssuedSignal, position: OwnPosition): BelievedMove | null {
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
 * A position against its signal; null while it is open, or without prices that can be believed.
 *
 * Late is what the market had moved by the last candle that closed before the opening. Slippage is the rest of the
 * difference between the entries, less the costs that the model's result already holds. The exit is what is left.
 */
export function measure(
  signal: IssuedSignal,
  position: OwnPosition,
  market: MarketPrice | null,
): Measured | null {
  const move = believedMove(signal, position);
  if (move === null) return null;
  const { entry, modelExit, distance, resultR, ownEntry, direction } = move;
  const costPrice = direction * (modelExit - entry) - resultR * distance;
  const latePrice = -direction * (marketAt(signal, position, market) - entry);
  const slippagePrice = -direction * (ownEntry - entry) - latePrice + costPrice;
  const ownR = micro(move.ownMove / distance);
  const lateR = micro(latePrice / distance);
  const slippageR = micro(slippagePrice / distance);
  // The exit takes what rounding left over, a millionth at most.
  const ownExitR = ownR - micro(resultR) - lateR - slippageR;
  return { lateR, slippageR, ownExitR, ownR, latePrice, slippagePrice };
}

/** The market's price when the position was opened, as far as candles tell; the signal's entry until a later one closed. */
function marketAt(signal: IssuedSignal, position: OwnPosition, market: MarketPrice | null): number {
  const entry = signal.entryPrice ?? 0;
  if (market === null || position.clockSuspect || market.closedMs <= signal.closesMs) return entry;
  return isNear(market.price, entry, signal.barrierDistance ?? 0) ? market.price : entry;
}

/** Whether a price can be of the instrument that has the other one. */
function isNear(price: number, entry: number, distance: number): boolean {
  return (
    Math.abs(price - entry) <= MOST_R * distance && price < MOST_TIMES * entry && entry < MOST_TIMES * price
  );
}

const micro = (r: number): bigint => BigInt(Math.round(r * MICRO));

/** Millionths of R as R, for showing. */
export const toR = (microR: bigint): number => Number(microR) / MICRO;
