import { describe, expect, it } from "vitest";
import { uniformSource } from "@/lib/engine/random";
import { compareWithClaim } from "@/lib/signals/record/compare-with-claim";
import { MIN_RESULTS_FOR_RATES } from "@/lib/wire/contracts/record";
import { normalSource } from "@/tests/lib/engine/normal-source";

const RUNS = 400;
const CLAIM_N = 5_000;
const LIVE_N = 6_000;
/** Number of candles after which a visitor reads the comparison again: a day. */
const DAY = 24;

/** A figure of n values with their 95 % interval. */
function estimate(sum: number, squares: number, n: number) {
  const mean = sum / n;
  const half = 1.96 * Math.sqrt(Math.max(0, squares / n - mean * mean) / n);
  return { value: mean, ci95: [mean - half, mean + half] as [number, number] };
}

/** Every verdict that a daily visitor reads about a model whose live values exceed its claim by `shift` deviations. */
function everRead(seed: number, shift: number): Set<string | null> {
  const normal = normalSource(uniformSource(seed));
  let [sum, squares] = [0, 0];
  const add = (value: number) => {
    sum += value;
    squares += value * value;
  };
  for (let i = 0; i < CLAIM_N; i++) add(normal());
  const claimed = estimate(sum, squares, CLAIM_N);
  [sum, squares] = [0, 0];
  const read = new Set<string | null>();
  for (let n = 1; n <= LIVE_N; n++) {
    add(shift + normal());
    if (n >= MIN_RESULTS_FOR_RATES && n % DAY === 0)
      read.add(compareWithClaim(claimed, estimate(sum, squares, n)));
  }
  return read;
}

const shareOf = (shift: number, said: string) => {
  let n = 0;
  for (let run = 1; run <= RUNS; run++) if (everRead(run, shift).has(said)) n++;
  return n / RUNS;
};

describe("the comparison of a result with its claim", () => {
  it("a model that does what it claimed is ever found to differ in at most 3 % of runs, compared every day", () => {
    expect(shareOf(0, "below") + shareOf(0, "above")).toBeLessThanOrEqual(0.03);
  });

  it("a model that does worse than it claimed is found below its claim in over half of the runs", () => {
    expect(shareOf(-0.1, "below")).toBeGreaterThan(0.5);
  });

  it("compareWithClaim is null for a figure without an interval, and within for equal figures", () => {
    const known = estimate(12, 100, 100);
    expect(compareWithClaim(known, { value: 0.2, ci95: null })).toBeNull();
    expect(compareWithClaim({ value: null, ci95: null }, known)).toBeNull();
    expect(compareWithClaim(known, known)).toBe("within");
  });
});
