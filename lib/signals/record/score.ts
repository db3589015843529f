import { createHash } from "node:crypto";
import { classOfSignal, signalOfClass } from "@/lib/engine/classes";
import { forecastDirection } from "@/lib/engine/decision";
import { timeframeMinutes } from "@/lib/market/timeframes";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "@/lib/time";
import type { Direction, Forecaster, Timeframe } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";
import { fromMicro, toMicro, toNano } from "./fixed-point";
import {
  addOutcomeClass,
  advanceFrequenciesTo,
  decodeClasses,
  emptyClassHistory,
  encodeClasses,
  type OutcomeClassHistory,
} from "./outcome-class-history";

/** A signal with its outcome, as entered in the ledger. */
export interface ResolvedLedgerSignal {
  symbol: string;
  timeframe: Timeframe;
  ts: Date;
  modelV: string;
  signal: Direction;
  /** BUY, SELL, NO_TRADE. */
  probs: readonly [number, number, number];
  label: Direction;
  /** Results of following each direction, after costs, in 1e-6 R. */
  buyR: number;
  sellR: number;
  /** Cost of a round trip in 1e-6 R. */
  costR: number;
  /** Whether the signal came with its own stop and target (rule levels-1). */
  hasOwnLevels: boolean;
  /**
   * Close of the signal's candle; `horizonEndS` is the close of the last candle of its horizon. Both in epoch seconds.
   */
  closesS: number;
  horizonEndS: number;
}

export interface ForecastSums {
  n: number;
  nIndependent: number;
  nDirectional: number;
  /** Of these, the number judged without a round-trip cost. */
  nWithoutCost: number;
  brier: number;
  brierFrequencies: number;
  gainSquares: number;
  evidence: number;
  betR: number;
}

export interface ResultSums {
  n: number;
  nIndependent: number;
  wins: number;
  losses: number;
  r: number;
  rSquares: number;
  gain: number;
}

export interface BinSums {
  n: number;
  nIndependent: number;
  confidence: number;
  hits: number;
  brier: number;
}

/** The sums that one signal adds to the record of its slot, model and day. */
export interface SignalScoreSums {
  forecast: ForecastSums;
  results: { forecaster: Forecaster; sums: ResultSums }[];
  bins: { forecaster: Forecaster; bin: number; sums: BinSums }[];
}

/** Number of equal bins into which the confidence, 0..1, is divided. */
export const N_BINS = 10;
const THIRDS = [1 / 3, 1 / 3, 1 / 3] as const;

/**
 * When the last independent result of each kind ended, in epoch seconds. Kinds: all forecasts, the model's directions,
 * the directions of the frequencies, and each bin of the model's confidence.
 */
export type LastIndependentEnds = number[];
export const noIndependentEnds = (): LastIndependentEnds => new Array(3 + N_BINS).fill(0);

/** State of a slot, over all its models, that the score of its next signal depends on. */
export interface SlotScoringState {
  /** When the last bet on each of the two questions ended, in epoch seconds: forecasts, directions. */
  bets: LastIndependentEnds;
  /** Close of the candle whose signal was counted last, in epoch seconds. */
  countedS: number;
  classes: OutcomeClassHistory;
}
export const initialScoringState = (): SlotScoringState => ({
  bets: [0, 0],
  countedS: 0,
  classes: emptyClassHistory(),
});
/** A history as a list of numbers, to be stored. */
export const encodeScoringState = ({ bets, countedS, classes }: SlotScoringState): number[] => [
  ...bets,
  countedS,
  ...encodeClasses(classes),
];
export const decodeScoringState = ([
  forecasts = 0,
  directions = 0,
  countedS = 0,
  ...classes
]: readonly number[]): SlotScoringState => ({
  bets: [forecasts, directions],
  countedS,
  classes: decodeClasses(classes),
});

/**
 * Whether a signal is the first of its candle, which closed at `closesAt`; records the candle in `history`. Must be
 * called in the ledger's order, in which signals of one candle are next to each other. If the signals of several models
 * counted, a slot could multiply one result, for example double its stake after each loss.
 */
export function markFirstOfCandle(history: SlotScoringState, closesAt: Date): boolean {
  const closesS = closesAt.getTime() / SECOND_MS;
  if (closesS === history.countedS) return false;
  history.countedS = closesS;
  return true;
}

const ALL = 0;
const FOLLOWED = 1;
const BY_FREQUENCIES = 2;
const FIRST_BIN = 3;

/**
 * A bet on the probabilities stakes the full share only if the Brier terms of model and frequencies can differ by at
 * least this. Otherwise a model that nearly repeats the frequencies would bet as much as a skilled one, and prove a
 * meaningless difference.
 */
const SMALLEST_FULL_BET = 0.05;
/**
 * Minimum number of candles from the close of one bet's candle to the next bet, even if the signal has a shorter
 * horizon.
 */
const BET_CANDLES = 12;
/** Maximum number of bets of a slot that begin in one UTC day. */
export const maxBetsPerDay = (timeframe: Timeframe): number =>
  Math.ceil(DAY_MS / (BET_CANDLES * timeframeMinutes(timeframe) * MINUTE_MS));

/**
 * The sums that one resolved signal adds to the record. Must be called in the ledger's order; updates `busy` (of the
 * model) and `history` (of the slot).
 *
 * Signals that came with their own stop and target are not bets. These levels determine how often each class comes
 * true, so the probabilities could be right without any skill, and a gap beyond a near stop can cost more than a bet
 * may lose. The probabilities are not compared with the frequencies: they count as equal to them.
 *
 * A result counts as independent if its horizon begins when that of the last independent one ends, or later. The coin
 * is a reference forecaster: whenever the model gives a direction, the coin follows one at the same barriers. Its
 * direction is a bit of a hash of the signal's name, so that it is arbitrary and can be recomputed. The frequencies are
 * the other reference: like a model, they follow a direction if their edge exceeds the cost.
 */
export function scoreNextSignal(
  resolved: ResolvedLedgerSignal,
  busy: LastIndependentEnds,
  history: SlotScoringState,
): SignalScoreSums {
  const { signal, probs, label, closesS, horizonEndS, hasOwnLevels } = resolved;
  const ofSlot = advanceFrequenciesTo(history.classes, closesS);
  if (!hasOwnLevels) addOutcomeClass(history.classes, label, horizonEndS);
  const frequencies = hasOwnLevels ? probs : ofSlot;
  /**
   * Whether the last result or bet of a kind has ended when this signal's candle closes. If so, this signal occupies
   * the kind until `endS`.
   */
  const begins = (ends: LastIndependentEnds, kind: number, endS: number): boolean => {
    if (closesS < (ends[kind] ?? 0)) return false;
    ends[kind] = endS;
    return true;
  };
  const isIndependent = (kind: number): number => (begins(busy, kind, horizonEndS) ? 1 : 0);

  const betEndS = Math.max(horizonEndS, closesS + BET_CANDLES * timeframeMinutes(resolved.timeframe) * 60);
  const isBet = (question: number): boolean => !hasOwnLevels && begins(history.bets, question, betEndS);

  const happened = classOfSignal(label);
  const ofModel = squaredError(probs, happened);
  const gain = squaredError(frequencies, happened) - ofModel;
  const most = Math.max(
    ...[0, 1, 2].map((k) => Math.abs(squaredError(frequencies, k) - squaredError(probs, k))),
  );
  const independent = isIndependent(ALL);
  const forecast = {
    n: 1,
    nIndependent: independent,
    nDirectional: signal === "NO_TRADE" ? 0 : 1,
    nWithoutCost: signal !== "NO_TRADE" && resolved.costR === 0 ? 1 : 0,
    brier: toNano(ofModel),
    brierFrequencies: toNano(squaredError(frequencies, happened)),
    gainSquares: toNano(gain * gain),
    evidence: isBet(ALL) ? toNano(gain / Math.max(most, SMALLEST_FULL_BET)) : 0,
    betR: 0,
  };

  const results: SignalScoreSums["results"] = [];
  if (signal !== "NO_TRADE") {
    if (isBet(FOLLOWED)) forecast.betR = signal === "BUY" ? resolved.buyR : resolved.sellR;
    const counted = isIndependent(FOLLOWED);
    results.push({ forecaster: "model", sums: resultOf(resolved, signal, counted) });
    results.push({ forecaster: "coin", sums: resultOf(resolved, coinDirection(resolved), counted) });
  }
  const paid = signalOfClass(forecastDirection(ofSlot[0] ?? 0, ofSlot[1] ?? 0, fromMicro(resolved.costR)));
  if (paid !== "NO_TRADE")
    results.push({
      forecaster: "frequencies",
      sums: resultOf(resolved, paid, isIndependent(BY_FREQUENCIES)),
    });

  const model = binOf(probs, happened);
  return {
    forecast,
    results,
    bins: [
      {
        ...model,
        forecaster: "model",
        sums: { ...model.sums, nIndependent: isIndependent(FIRST_BIN + model.bin) },
      },
      { ...withCount(binOf(THIRDS, happened), independent), forecaster: "coin" },
      { ...withCount(binOf(ofSlot, happened), independent), forecaster: "frequencies" },
    ],
  };
}

/** The coin's direction for a signal: the lowest bit of the first byte of the SHA-256 of its name; 1 means BUY. */
export function coinDirection(
  of: Pick<ResolvedLedgerSignal, "symbol" | "timeframe" | "ts" | "modelV">,
): "BUY" | "SELL" {
  const name = [of.symbol, of.timeframe, writeInstant(of.ts), of.modelV].join("|");
  const [first = 0] = createHash("sha256").update(name).digest();
  return first % 2 === 1 ? "BUY" : "SELL";
}

function squaredError(probs: readonly number[], happened: number): number {
  return [0, 1, 2].reduce((sum, k) => sum + ((probs[k] ?? 0) - (k === happened ? 1 : 0)) ** 2, 0);
}

function resultOf(
  { buyR, sellR }: ResolvedLedgerSignal,
  direction: "BUY" | "SELL",
  nIndependent: number,
): ResultSums {
  const r = direction === "BUY" ? buyR : sellR;
  return {
    n: 1,
    nIndependent,
    wins: r > 0 ? 1 : 0,
    losses: r < 0 ? 1 : 0,
    r,
    rSquares: toMicro(fromMicro(r) ** 2),
    gain: Math.max(r, 0),
  };
}

/**
 * Bin and sums of a forecast, from the probability of its likeliest class and whether that came true. Ties go to BUY,
 * then SELL.
 */
function binOf(probs: readonly number[], happened: number): { bin: number; sums: BinSums } {
  const [buy = 0, sell = 0, no = 0] = probs;
  const top = buy >= sell && buy >= no ? 0 : sell >= no ? 1 : 2;
  const confidence = probs[top] ?? 0;
  const hits = top === happened ? 1 : 0;
  return {
    bin: Math.min(Math.floor(confidence * N_BINS), N_BINS - 1),
    sums: {
      n: 1,
      nIndependent: 0,
      confidence: toNano(confidence),
      hits,
      brier: toNano((confidence - hits) ** 2),
    },
  };
}

const withCount = ({ bin, sums }: { bin: number; sums: BinSums }, nIndependent: number) => ({
  bin,
  sums: { ...sums, nIndependent },
});
