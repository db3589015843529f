import { describe, expect, it } from "vitest";
import type { SignalCount } from "@/db/queries/signal-days";
import type { ScoredModel } from "@/db/queries/track-record";
import { tallyForecasts } from "@/lib/engine/scores/forecast-tally";
import { independentChain } from "@/lib/engine/scores/independent-chain";
import { EMPTY_RESULT_TALLY, joinResultTallies, tallyResult } from "@/lib/engine/scores/result-tally";
import { calibrationOf } from "@/lib/signals/quality/calibration-of";
import { trackRecordOf } from "@/lib/signals/quality/track-record";

const HOUR_MS = 3_600_000;
const slot = { slotId: 1, symbol: "EURUSD", timeframe: "H1", modelV: "m" } as const;
const count: SignalCount = {
  ...slot,
  n: 10,
  earliestClose: new Date(0),
  nFollowed: 0,
  followedConfidence: 0,
  firstFollowedTs: null,
  lastFollowedTs: null,
};

interface Followed {
  closesMs: number;
  endedMs: number;
  r: number;
}

/** A BUY at hour `hour` that ended after `hours` with `r`. */
const followed = (hour: number, hours: number, r: number): Followed => ({
  closesMs: hour * HOUR_MS,
  endedMs: (hour + hours) * HOUR_MS,
  r,
});

/** The record of some results, given in order of their starts. */
function recordOf(results: Followed[]) {
  const tallies = results
    .toSorted((a, b) => a.endedMs - b.endedMs)
    .map(({ r }) => tallyResult({ resultR: r, buyR: r, sellR: -r }));
  return trackRecordOf(
    { ...count, nFollowed: results.length, followedConfidence: 0.6 * results.length },
    {
      results: tallies.reduce(joinResultTallies, EMPTY_RESULT_TALLY),
      chain: independentChain(results.map(({ closesMs, endedMs }) => ({ begin: closesMs, end: endedMs }))),
    },
  );
}

describe("a track record", () => {
  it("the win rate counts every result, and its interval counts overlapping results once", () => {
    const record = recordOf([followed(1, 5, 1), followed(2, 5, 1), followed(3, 5, -1), followed(6, 1, -1)]);
    expect(record).toMatchObject({
      n_resolved: 4,
      n_wins: 2,
      n_losses: 2,
      win_rate_pct: 50,
      total_r: 0,
      profit_factor: 1,
    });
    // Two of four results are independent: Wilson at one half with n = 2.
    expect(record.win_rate_ci95[0]).toBeCloseTo(9.4531, 3);
    expect(record.win_rate_ci95[1]).toBeCloseTo(90.5469, 3);
  });

  it("the drawdown follows the order in which results end, not start", () => {
    const record = recordOf([followed(1, 20, 3), followed(2, 1, -1), followed(5, 1, -1)]);
    expect(record.max_drawdown_r).toBe(2);
    expect(record.total_r).toBe(1);
  });

  it("the track record compares with the better of always BUY and always SELL on the same signals", () => {
    const record = recordOf([followed(1, 1, -1), followed(3, 1, -1), followed(5, 1, 1)]);
    expect(record.win_rate_pct).toBeCloseTo(100 / 3, 5);
    expect(record.baseline_win_rate_pct).toBeCloseTo(200 / 3, 5);
  });

  it("the track record leaves out unresolved signals, and has zeros and nulls without results", () => {
    const record = trackRecordOf(
      { ...count, nFollowed: 1 },
      { results: EMPTY_RESULT_TALLY, chain: independentChain([]) },
    );
    expect(record).toMatchObject({
      n_signals: 10,
      n_directional: 1,
      n_resolved: 0,
      win_rate_pct: 0,
      win_rate_ci95: [0, 100],
      profit_factor: null,
      expectancy_r: 0,
    });
    expect(recordOf([])).toMatchObject({ avg_confidence: null, first_ts: null, last_ts: null });
  });
});

const model: ScoredModel = { ...slot, classFreq: [1 / 3, 1 / 3, 1 / 3] };

/** `n` forecasts with equal probabilities and alternating labels. */
function forecasts(n: number, probs: [number, number, number], labelOf: (i: number) => number) {
  return tallyForecasts(
    Float64Array.from({ length: 3 * n }, (_, i) => probs[i % 3] ?? 0),
    Uint8Array.from({ length: n }, (_, i) => labelOf(i)),
  );
}

describe("a calibration", () => {
  it("a calibration is ok when forecasts match their frequencies", () => {
    const report = calibrationOf(
      model,
      forecasts(300, [0.5, 0.25, 0.25], (i) => [0, 0, 1, 2][i % 4] ?? 0),
      10,
    );
    expect(report).toMatchObject({
      n: 300,
      ece: 0,
      accuracy: 0.5,
      avg_confidence: 0.5,
      status: "ok",
      brier: 0.625,
    });
    expect(report.brier_baseline).toBeCloseTo(2 / 3, 6);
    expect(report.bins.filter((bin) => bin.n > 0)).toEqual([
      { lo: 0.5, hi: 0.6, n: 300, avg_confidence: 0.5, hit_rate: 0.5 },
    ]);
  });

  it("a calibration drifts when overconfident, and when significantly worse than constant forecasts", () => {
    expect(
      calibrationOf(
        model,
        forecasts(300, [0.9, 0.05, 0.05], (i) => i % 3),
        10,
      ).status,
    ).toBe("drifting");
    const worse = calibrationOf(
      model,
      forecasts(3_000, [0.42, 0.29, 0.29], (i) => [0, 1, 2][i % 3] ?? 0),
      10,
    );
    expect(worse.ece).toBeLessThan(0.1);
    expect(worse.status).toBe("drifting");
  });

  it("a calibration has no verdict below 50 forecasts, but lists its bins", () => {
    const report = calibrationOf(
      model,
      forecasts(49, [0.5, 0.25, 0.25], () => 0),
      5,
    );
    expect(report).toMatchObject({
      n: 49,
      status: "insufficient",
      ece: null,
      brier: null,
      brier_baseline: null,
      accuracy: null,
    });
    expect(report.bins).toHaveLength(5);
  });
});
