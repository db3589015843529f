import type postgres from "postgres";
import { brierTerms } from "@/lib/engine/scores/brier";
import { measureCalibration } from "@/lib/engine/scores/calibration-error";
import { independentCount } from "@/lib/engine/scores/independent-count";
import { neweyWestMeanTest } from "@/lib/engine/scores/newey-west";
import { maxDrawdown, profitFactor } from "@/lib/engine/scores/results";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";
import { roundFigure } from "@/lib/wire/round";

/**
 * Performance, calibration and predictions computed directly from signals and outcomes. Tests compare the reads from
 * daily sums with them.
 */

export interface ReferenceSignal {
  slotId: number;
  modelV: string;
  ts: Date;
  closesAt: Date;
  signal: "BUY" | "SELL" | "NO_TRADE";
  confidence: number;
  probs: [number, number, number];
  regime: string;
  expectedRr: number;
  classFreq: number[] | null;
  outcome: {
    label: number;
    endedAt: Date;
    resultR: number | null;
    buyR: number;
    sellR: number;
  } | null;
}

/** Every signal that was not backfilled, with its outcome, ordered by the close of its candle. */
export async function readEverySignal(sql: postgres.Sql): Promise<ReferenceSignal[]> {
  const rows = await sql`
    select g.*, o.label, o.ended_at, o.result_r, o.buy_r, o.sell_r, m.class_freq
      from signals g left join outcomes o on o.signal_id = g.id
      left join models m on m.slot_id = g.slot_id and m.model_v = g.model_v
     where not g.backfilled order by g.closes_at, g.id`;
  return rows.map((row) => ({
    slotId: row.slot_id,
    modelV: row.model_v,
    ts: row.ts,
    closesAt: row.closes_at,
    signal: row.signal,
    confidence: row.confidence,
    probs: [row.prob_buy, row.prob_sell, row.prob_no],
    regime: row.regime,
    expectedRr: row.expected_rr,
    classFreq: row.class_freq,
    outcome: row.label && {
      label: ["BUY", "SELL", "NO_TRADE"].indexOf(row.label),
      endedAt: row.ended_at,
      resultR: row.result_r,
      buyR: row.buy_r,
      sellR: row.sell_r,
    },
  }));
}

const mean = (values: ArrayLike<number>) =>
  values.length === 0 ? null : Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;

/** The track record of the signals of one slot and model. */
export function referenceRecord(signals: ReferenceSignal[]) {
  const followed = signals
    .filter(({ signal }) => signal !== "NO_TRADE")
    .toSorted((a, b) => a.ts.getTime() - b.ts.getTime());
  const resolved = followed.flatMap(({ ts, closesAt, outcome }) =>
    outcome && outcome.resultR !== null ? [{ ts, closesAt, ...outcome, resultR: outcome.resultR }] : [],
  );
  const results = resolved.map(({ resultR }) => resultR);
  const wins = results.filter((r) => r > 0).length;
  const losses = results.filter((r) => r < 0).length;
  const rateOf = (values: number[]) => {
    const [won, lost] = [values.filter((r) => r > 0).length, values.filter((r) => r < 0).length];
    return won + lost === 0 ? 0 : won / (won + lost);
  };
  const rate = rateOf(results);
  const n = independentCount(
    resolved.map(({ closesAt, endedAt }) => ({ begin: closesAt.getTime(), end: endedAt.getTime() })),
  );
  const totalR = results.reduce((sum, r) => sum + r, 0);
  const inOrderOfEnd = resolved.toSorted(
    (a, b) => a.endedAt.getTime() - b.endedAt.getTime() || a.ts.getTime() - b.ts.getTime(),
  );
  return {
    n_signals: signals.length,
    n_directional: followed.length,
    n_resolved: resolved.length,
    n_wins: wins,
    n_losses: losses,
    win_rate_pct: roundFigure(100 * rate),
    win_rate_ci95: wilsonInterval(rate, n).map((bound) => roundFigure(100 * bound)),
    baseline_win_rate_pct: roundFigure(
      100 * Math.max(rateOf(resolved.map(({ buyR }) => buyR)), rateOf(resolved.map(({ sellR }) => sellR))),
    ),
    profit_factor: roundFigure(profitFactor(results)),
    total_r: roundFigure(totalR),
    expectancy_r: resolved.length === 0 ? 0 : roundFigure(totalR / resolved.length),
    max_drawdown_r: roundFigure(maxDrawdown(inOrderOfEnd.map(({ resultR }) => resultR))),
    avg_confidence: roundFigure(mean(followed.map(({ confidence }) => confidence))),
    first_ts: followed[0]?.ts ?? null,
    last_ts: followed.at(-1)?.ts ?? null,
  };
}

/** The calibration of the signals of one slot and model; null without a forecast that has an outcome. */
export function referenceCalibration(signals: ReferenceSignal[], nBins: number) {
  const judged = signals.filter(({ outcome }) => outcome !== null);
  const n = judged.length;
  if (n === 0) return null;
  const probs = Float64Array.from(judged.flatMap((signal) => signal.probs));
  const labels = Uint8Array.from(judged, ({ outcome }) => outcome?.label ?? 0);
  const frequencies =
    judged[0]?.classFreq ?? [0, 1, 2].map((k) => labels.filter((label) => label === k).length / n);
  const baseline = Float64Array.from({ length: 3 * n }, (_, i) => frequencies[i % 3] ?? 0);
  const scores = measureCalibration(probs, labels, nBins);
  const [terms, baselineTerms] = [brierTerms(probs, labels), brierTerms(baseline, labels)];
  const test = neweyWestMeanTest(
    terms.map((term, i) => term - (baselineTerms[i] ?? 0)),
    48,
  );
  const isWorse = test !== null && test.mean > 0 && test.pAboveZero < 0.05;
  const status = n < 50 ? "insufficient" : (scores.ece ?? 0) > 0.1 || isWorse ? "drifting" : "ok";
  const figure = (value: number | null) => (n < 50 ? null : roundFigure(value));
  return {
    n,
    ece: figure(scores.ece),
    brier: figure(mean(terms)),
    brier_baseline: figure(mean(baselineTerms)),
    accuracy: figure(scores.accuracy),
    avg_confidence: figure(scores.avgConfidence),
    status,
    bins: scores.bins.map((bin) => ({
      lo: roundFigure(bin.lo),
      hi: roundFigure(bin.hi),
      n: bin.n,
      avg_confidence: roundFigure(bin.avgConfidence),
      hit_rate: roundFigure(bin.hitRate),
    })),
  };
}

/** The predictions of the signals of one slot, model and date. */
export function referencePredictions(signals: ReferenceSignal[]) {
  const of = (pick: (signal: ReferenceSignal) => number) => roundFigure(mean(signals.map(pick)));
  const count = (signal: string) => signals.filter((one) => one.signal === signal).length;
  const times = signals.map(({ ts }) => ts.getTime());
  const regimes: Record<string, number> = {};
  for (const { regime } of signals) regimes[regime] = (regimes[regime] ?? 0) + 1;
  return {
    n_total: signals.length,
    n_buy: count("BUY"),
    n_sell: count("SELL"),
    n_no_trade: count("NO_TRADE"),
    directional_pct: roundFigure((100 * (signals.length - count("NO_TRADE"))) / signals.length),
    avg_confidence: of(({ confidence }) => confidence),
    avg_prob_buy: of(({ probs }) => probs[0]),
    avg_prob_sell: of(({ probs }) => probs[1]),
    avg_prob_no: of(({ probs }) => probs[2]),
    avg_expected_rr: of(({ expectedRr }) => expectedRr),
    regimes,
    first_ts: new Date(Math.min(...times)),
    last_ts: new Date(Math.max(...times)),
  };
}
