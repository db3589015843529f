import { describe, expect, it } from "vitest";
import { signalOfClass } from "@/lib/engine/classes";
import { uniformSource } from "@/lib/engine/random";
import { evidenceNeeded, evidenceOfSlot } from "@/lib/signals/record/figures";
import {
  addOutcomeClass,
  advanceFrequenciesTo,
  emptyClassHistory,
} from "@/lib/signals/record/outcome-class-history";
import {
  decodeScoringState,
  encodeScoringState,
  initialScoringState,
  noIndependentEnds,
  type ResolvedLedgerSignal,
  scoreNextSignal,
} from "@/lib/signals/record/score";

const HOUR_S = 3_600;
const HORIZON_S = 12 * HOUR_S;

const resolved = (i: number, of: Partial<ResolvedLedgerSignal>): ResolvedLedgerSignal => ({
  ...{ symbol: "SLOT", timeframe: "H1", modelV: "m", signal: "BUY", label: "BUY" },
  ...{ probs: [1 / 3, 1 / 3, 1 / 3], buyR: 0, sellR: 0, costR: 0, hasOwnLevels: false },
  ...{ ts: new Date((i - 1) * HOUR_S * 1000), closesS: i * HOUR_S, horizonEndS: i * HOUR_S + HORIZON_S },
  ...of,
});

/** Evidence for the probabilities after a year of hours, one signal each. */
function evidenceOfYear(make: (i: number) => Partial<ResolvedLedgerSignal>): number {
  const [busy, history] = [noIndependentEnds(), initialScoringState()];
  const evidence = new Float64Array(365);
  for (let i = 0; i < 365 * 24; i++) {
    const { forecast } = scoreNextSignal(resolved(i, make(i)), busy, history);
    evidence[Math.floor(i / 24)] = (evidence[Math.floor(i / 24)] ?? 0) + forecast.evidence;
  }
  return evidenceOfSlot({ betR: new Float64Array(365), evidence }, "H1").probability;
}

describe("the class frequencies that the record compares with", () => {
  it("the class frequencies are those of the slot's outcomes that were over when the signal's candle closed", () => {
    const known = emptyClassHistory();
    expect(advanceFrequenciesTo(known, 0)).toEqual([1 / 3, 1 / 3, 1 / 3]);
    for (let i = 0; i < 36; i++) addOutcomeClass(known, "NO_TRADE", 100);
    addOutcomeClass(known, "BUY", 101);
    expect(advanceFrequenciesTo(known, 99)).toEqual([1 / 3, 1 / 3, 1 / 3]);
    expect(advanceFrequenciesTo(known, 100)).toEqual([12 / 72, 12 / 72, 48 / 72]);
    expect(advanceFrequenciesTo(known, 101)).toEqual([13 / 73, 12 / 73, 48 / 73]);
  });

  it("the class frequencies and bets are the same after they were stored and read", () => {
    const history = initialScoringState();
    for (let i = 0; i < 30; i++)
      scoreNextSignal(resolved(i, { label: signalOfClass(i % 3) }), noIndependentEnds(), history);
    const numbers = encodeScoringState(history).join(",").split(",").map(Number);
    expect(decodeScoringState(numbers)).toEqual(history);
    expect(decodeScoringState(encodeScoringState(initialScoringState()))).toEqual(initialScoringState());
  });

  it("a model that states only the class frequencies has no evidence", () => {
    const uniform = uniformSource(1);
    const label = () => signalOfClass([0.4, 0.8, 1].findIndex((share) => share > uniform()));
    expect(evidenceOfYear(() => ({ label: label(), probs: [0.4, 0.4, 0.2] }))).toBeLessThan(
      evidenceNeeded(1),
    );
  });

  it("a model that hardly differs from the class frequencies has little evidence, however constantly it is better", () => {
    const probs: ResolvedLedgerSignal["probs"] = [0.334, 0.334, 0.332];
    expect(evidenceOfYear((i) => ({ label: i % 2 === 0 ? "BUY" : "SELL", probs }))).toBeLessThan(
      evidenceNeeded(1),
    );
  });

  it("a model that knows more than the class frequencies has evidence", () => {
    const uniform = uniformSource(2);
    const evidence = evidenceOfYear(() => {
      const isQuiet = uniform() < 0.5;
      const no = isQuiet ? 0.7 : 0.1;
      const drawn = uniform();
      const label = drawn < no ? "NO_TRADE" : drawn < (1 + no) / 2 ? "BUY" : "SELL";
      return { label, probs: [(1 - no) / 2, (1 - no) / 2, no] };
    });
    expect(evidence).toBeGreaterThan(evidenceNeeded(15));
  });
});

describe("signals with own levels", () => {
  it("signals with own levels count as results but not as evidence, even if they state 98 % and gain", () => {
    const [busy, history] = [noIndependentEnds(), initialScoringState()];
    for (let i = 0; i < 50; i++) {
      const { forecast, results } = scoreNextSignal(
        resolved(i, { hasOwnLevels: true, probs: [0.98, 0.01, 0.01], buyR: 5_000_000 }),
        busy,
        history,
      );
      expect(forecast).toMatchObject({ n: 1, evidence: 0, betR: 0, gainSquares: 0 });
      expect(results[0]).toMatchObject({ forecaster: "model", sums: { n: 1, wins: 1, r: 5_000_000 } });
    }
    expect(history.bets).toEqual([0, 0]);
  });

  it("signals with own levels do not change the class frequencies of the slot", () => {
    const history = initialScoringState();
    for (let i = 0; i < 50; i++)
      scoreNextSignal(resolved(i, { hasOwnLevels: true }), noIndependentEnds(), history);
    expect(advanceFrequenciesTo(history.classes, 100 * HOUR_S)).toEqual([1 / 3, 1 / 3, 1 / 3]);
  });
});
