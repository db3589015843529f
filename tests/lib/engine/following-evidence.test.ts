import { describe, expect, it } from "vitest";
import { FollowingEvidence } from "@/lib/engine/following-evidence";
import { uniformSource } from "@/lib/engine/random";
import { type SlotResults, slotResults } from "@/lib/engine/results";
import { randomWalk } from "./synthetic";

const RATIOS = [1, 1.5, 2];
const POOL = 10_000;

/** Results of `n` candles with the given win rate, without costs or overlap. */
function coinResults(n: number, chanceOf: (i: number) => number, seed: number): SlotResults {
  const uniform = uniformSource(seed);
  const won = Array.from({ length: n }, (_, i) => uniform() < chanceOf(i));
  return {
    costR: new Float64Array(n),
    byRatio: RATIOS.map((expectedRr) => ({
      expectedRr,
      // The results are the same for every ratio, so that every ratio has the same expected value.
      buyR: Float64Array.from(won, (win) => (win ? 1 : -1)),
      sellR: Float64Array.from(won, (win) => (win ? -1 : 1)),
      buyEnd: new Int32Array(n),
      sellEnd: new Int32Array(n),
    })),
  };
}

/** Adds a BUY forecast for each candle. Returns the policy after each week of 120 candles. */
function weekly(results: SlotResults, n: number, from = 0): { mayFollow: boolean; evidence: number }[] {
  const evidence = new FollowingEvidence(results, POOL);
  const policies = [];
  for (let i = from; i < n; i++) {
    evidence.add(i, 0.5, 0.3);
    if ((i + 1) % 120 === 0) policies.push(evidence.policy());
  }
  return policies;
}

describe("the evidence for following directions", () => {
  it("the evidence for following directions is reached at a win rate of 56 %, and kept", () => {
    const policies = weekly(
      coinResults(9_000, () => 0.56, 1),
      9_000,
    );
    const first = policies.findIndex((policy) => policy.mayFollow);
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(60);
    expect(policies.slice(first).every((policy) => policy.mayFollow)).toBe(true);
  });

  it("the evidence for following directions ends when the win rate falls from 56 to 44 %", () => {
    const policies = weekly(
      coinResults(24_000, (i) => (i < 9_000 ? 0.56 : 0.44), 2),
      24_000,
    );
    expect(policies[9_000 / 120 - 1]).toMatchObject({ mayFollow: true, expectedRr: 1 });
    const last = policies.at(-1)!;
    expect(last).toMatchObject({ mayFollow: false, expectedRr: 1 });
    expect(last.evidence).toBeLessThan(1);
  });

  it("reading the evidence for following BUY and SELL forecasts at each candle does not change it", () => {
    const results = coinResults(2_400, () => 0.52, 3);
    const [often, once] = [new FollowingEvidence(results, POOL), new FollowingEvidence(results, POOL)];
    for (let i = 0; i < 2_400; i++) {
      often.add(i, 0.5, 0.3);
      often.policy();
      once.add(i, 0.5, 0.3);
    }
    expect(often.policy()).toEqual(once.policy());
  });

  it("the evidence for following directions stays 1 when BUY and SELL are equally likely", () => {
    const evidence = new FollowingEvidence(
      coinResults(500, () => 1, 4),
      POOL,
    );
    for (let i = 0; i < 500; i++) evidence.add(i, 0.3, 0.3);
    expect(evidence.policy()).toEqual({ mayFollow: false, expectedRr: 1, evidence: 1, nFollowed: 0 });
  });

  it("the last candle's direction or its opposite gets the evidence to be followed on at most 5 % of driftless walks", () => {
    const WALKS = 40;
    const N = 4_800;
    let ever = 0;
    for (let seed = 0; seed < WALKS; seed++) {
      const candles = randomWalk({ n: N, seed: 700 + seed });
      const results = slotResults(candles, { kind: "absolute", value: 0 }, RATIOS);
      const evidence = [0, 1].map(() => new FollowingEvidence(results, POOL));
      let found = false;
      for (let i = 20; i < N - 12; i++) {
        const isUp = candles.close[i]! > candles.close[i - 1]!;
        evidence[0]!.add(i, isUp ? 0.5 : 0.3, isUp ? 0.3 : 0.5);
        evidence[1]!.add(i, isUp ? 0.3 : 0.5, isUp ? 0.5 : 0.3);
        if (i % 120 === 0) found ||= evidence.some((one) => one.policy().mayFollow);
      }
      if (found) ever++;
    }
    console.info(`evidence: ${ever} of ${WALKS} walks ever gave a direction`);
    expect(ever / WALKS).toBeLessThanOrEqual(0.05);
  }, 120_000);
});
