import { OUTCOME_RULE } from "@/lib/engine/outcome";
import { independentCount } from "@/lib/engine/scores/independent-count";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";
import { roundProbability } from "@/lib/wire/contracts/shared";
import type { SignalJourney } from "./journey";

/** Minimum number of followed and resolved signals for a bin to have a hit rate. */
export const MIN_IN_BIN = 20;
const BINS = 10;

/** Followed and resolved signals in one band of confidence, and how many of them came true. Shares in 0..1. */
export interface FollowedBin {
  lo: number;
  hi: number;
  n: number;
  nCameTrue: number;
  avgConfidence: number | null;
  /** null: too few signals. */
  hitRate: number | null;
  /** Wilson interval with the number of signals that do not overlap in time. */
  ci95: [number, number] | null;
}

/** Calibration of the followed and resolved signals: predicted and actual shares by confidence. */
export function calibrationOfFollowed(journeys: readonly SignalJourney[]): FollowedBin[] {
  const followed = journeys.filter(({ signal, positions }) => positions.length > 0 && signal.label !== null);
  return Array.from({ length: BINS }, (_, i) => {
    const bin = followed.filter(
      ({ signal }) => Math.min(BINS - 1, Math.floor(roundProbability(signal.confidence) * BINS + 1e-9)) === i,
    );
    const n = bin.length;
    const nCameTrue = bin.filter(({ signal }) => signal.label === signal.side).length;
    const hitRate = n < MIN_IN_BIN ? null : nCameTrue / n;
    const nIndependent = independentCount(
      bin.map(({ signal }) => ({
        begin: signal.closesMs,
        end: signal.closesMs + OUTCOME_RULE.horizonCandles * candleMs(signal),
      })),
    );
    const said = bin.reduce((sum, { signal }) => sum + signal.confidence, 0);
    return {
      ...{ lo: i / BINS, hi: (i + 1) / BINS, n, nCameTrue, hitRate },
      avgConfidence: n === 0 ? null : said / n,
      ci95: hitRate === null ? null : wilsonInterval(hitRate, nIndependent),
    };
  });
}

const candleMs = ({ tsMs, closesMs }: SignalJourney["signal"]) => closesMs - tsMs;
