import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { brierTerms } from "@/lib/engine/scores/brier";
import { measureCalibration } from "@/lib/engine/scores/calibration-error";
import {
  brierOfTally,
  calibrationOfTally,
  constantBrier,
  joinForecastTallies,
  labelShares,
  tallyForecasts,
  testBrierExcessOverConstant,
} from "@/lib/engine/scores/forecast-tally";
import {
  countIndependentFrom,
  EMPTY_INDEPENDENT_CHAIN,
  independentChain,
  joinIndependentChains,
} from "@/lib/engine/scores/independent-chain";
import { independentCount } from "@/lib/engine/scores/independent-count";
import { joinLaggedProducts, laggedProducts, neweyWestOfProducts } from "@/lib/engine/scores/lagged-products";
import { neweyWestMeanTest } from "@/lib/engine/scores/newey-west";
import { EMPTY_RESULT_TALLY, joinResultTallies, tallyResult } from "@/lib/engine/scores/result-tally";
import { maxDrawdown, profitFactor } from "@/lib/engine/scores/results";

/** Divides a row of `n` into successive ranges [from, to), some of which are empty. */
const cuts = (n: number) =>
  fc
    .array(fc.nat(n), { maxLength: 8 })
    .map((places) => [0, ...places.toSorted((a, b) => a - b), n])
    .map((places) => places.slice(1).map((to, i): [number, number] => [places[i]!, to]));

const share = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.integer({ min: 5, max: 20 }).chain((n) => fc.nat(n).map((k) => k / n)),
  fc.integer({ min: 0, max: 100 }).map((k) => k / 100),
);

const forecast = fc.tuple(share, share, fc.nat(2)).map(([no, part, label]) => ({
  probs: [(1 - no) * part, (1 - no) * (1 - part), no],
  label,
}));

/** A result in R. The ratio of gains to losses of 1e-300 R has no eight decimals that could be compared. */
const result = fc.oneof(
  fc.constantFrom(-1.05, 1.45, 0),
  fc.double({ min: -2, max: 2, noNaN: true }).map((r) => (Math.abs(r) < 0.001 ? 0 : r)),
);

describe("joined partial sums", () => {
  it("joined sums give the scores of all forecasts, for any number of bins", () => {
    fc.assert(
      fc.property(
        fc
          .array(forecast, { minLength: 1, maxLength: 200 })
          .chain((rows) => fc.tuple(fc.constant(rows), cuts(rows.length), fc.integer({ min: 5, max: 20 }))),
        ([rows, stretches, nBins]) => {
          const probs = Float64Array.from(rows.flatMap((row) => row.probs));
          const labels = Uint8Array.from(rows, (row) => row.label);
          const tally = stretches
            .map(([from, to]) => tallyForecasts(probs.slice(3 * from, 3 * to), labels.slice(from, to)))
            .reduce(joinForecastTallies);
          const whole = measureCalibration(probs, labels, nBins);
          const parts = calibrationOfTally(tally, nBins);
          expect(parts.bins.map(({ n, hitRate }) => [n, hitRate])).toEqual(
            whole.bins.map(({ n, hitRate }) => [n, hitRate]),
          );
          expect(parts.ece).toBeCloseTo(whole.ece!, 10);
          expect(parts.avgConfidence).toBeCloseTo(whole.avgConfidence!, 10);
          const frequencies = labelShares(tally);
          const baseline = Float64Array.from({ length: 3 * rows.length }, (_, i) => frequencies[i % 3]!);
          const terms = [brierTerms(probs, labels), brierTerms(baseline, labels)] as const;
          const mean = (values: Float64Array) => values.reduce((a, b) => a + b, 0) / values.length;
          expect(brierOfTally(tally)).toBeCloseTo(mean(terms[0]), 10);
          expect(constantBrier(tally, frequencies)).toBeCloseTo(mean(terms[1]), 10);
          const expected = neweyWestMeanTest(
            terms[0].map((term, i) => term - terms[1][i]!),
            48,
          );
          const found = testBrierExcessOverConstant(tally, frequencies);
          expect(found === null).toBe(expected === null);
          if (!found || !expected) return;
          expect(found.mean).toBeCloseTo(expected.mean, 10);
          expect(found.standardError).toBeCloseTo(expected.standardError, 6);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("joined sums give the mean and the Newey-West standard error of a series cut anywhere", () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 300 })
          .chain((values) => fc.tuple(fc.constant(values), cuts(values.length), fc.nat(60))),
        ([values, stretches, lags]) => {
          const series = stretches
            .map(([from, to]) => laggedProducts(Float64Array.from(values.slice(from, to)), 1, lags))
            .reduce(joinLaggedProducts);
          const expected = neweyWestMeanTest(values, lags)!;
          const found = neweyWestOfProducts(series, { weights: [1], offset: 0 })!;
          expect(found.standardError ** 2).toBeCloseTo(expected.standardError ** 2, 12);
          expect(found.mean).toBeCloseTo(expected.mean, 11);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("joined sums give the drawdown and the sums of all results in order", () => {
    fc.assert(
      fc.property(
        fc.array(result).chain((results) => fc.tuple(fc.constant(results), cuts(results.length))),
        ([results, stretches]) => {
          const tallies = stretches.map(([from, to]) =>
            results
              .slice(from, to)
              .map((r) => tallyResult({ resultR: r, buyR: r, sellR: -r }))
              .reduce(joinResultTallies, EMPTY_RESULT_TALLY),
          );
          const all = tallies.reduce(joinResultTallies, EMPTY_RESULT_TALLY);
          expect(all.drawdownR).toBeCloseTo(maxDrawdown(results), 10);
          expect(all.n).toBe(results.length);
          expect(all.sellWins).toBe(all.losses);
          const factor = profitFactor(results);
          if (factor !== null) expect(all.gainR / all.lossR).toBeCloseTo(factor, 8);
        },
      ),
    );
  });

  it("joined sums count the independent results overall, when each ends within twelve candles", () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 12 })), { maxLength: 200 })
          .chain((candles) => fc.tuple(fc.constant(candles), cuts(candles.length))),
        ([candles, stretches]) => {
          const intervals = (from: number, to: number) =>
            candles
              .slice(from, to)
              .flatMap(([followed, length], i) =>
                followed ? [{ begin: from + i, end: from + i + length }] : [],
              );
          const chain = stretches
            .map(([from, to]) => independentChain(intervals(from, to)))
            .reduce(joinIndependentChains, EMPTY_INDEPENDENT_CHAIN);
          expect(countIndependentFrom(chain, Number.NEGATIVE_INFINITY).kept).toBe(
            independentCount(intervals(0, candles.length)),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});
