import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { IssuedSignal, MarketPrice, ReportedPosition } from "@/db/queries/own-record";
import {
  type DecompositionCase,
  DIFFERENCE_PARTS,
  decomposeResultDifference,
  microRToR,
} from "@/lib/executions/own-record/decompose";
import { matchPositions } from "@/lib/executions/own-record/match-positions";

const HOUR = 3_600_000;

/** A BUY at 100 with D = 2 that reached its target of 104 for a cost of 0.1: 1.95 R. */
const signal = (change: Partial<IssuedSignal> = {}): IssuedSignal => ({
  ...{ signalId: 1, seq: 1, slotId: 1, symbol: "XAUUSD", timeframe: "H1", side: "BUY", confidence: 0.6 },
  ...{ tsMs: 0, closesMs: HOUR, createdMs: HOUR + 1_000, replacedMs: 2 * HOUR, label: "BUY" },
  ...{ entryPrice: 100, barrierDistance: 2, exitPrice: 104, resultR: 1.95 },
  ...change,
});
const position = (change: Partial<ReportedPosition> = {}): ReportedPosition => ({
  ...{ executionId: 1, predId: null, symbol: "XAUUSD", timeframe: "H1", side: "BUY", clockSuspect: false },
  ...{ openedMs: HOUR + 5_000, closedMs: 3 * HOUR, entryPrice: 100.1, exitPrice: 104, pnl: 39 },
  ...change,
});
const market: MarketPrice = { price: 100, closedMs: HOUR };
const shown = (cases: DecompositionCase[]) => {
  const { model, parts, own } = decomposeResultDifference(cases);
  const told = DIFFERENCE_PARTS.flatMap((name) =>
    parts[name].n > 0 ? [[name, microRToR(parts[name].microR)]] : [],
  );
  return { model: microRToR(model.microR), ...Object.fromEntries(told), own: microRToR(own.microR) };
};

describe("from the model's result to the subscriber's", () => {
  it("a position exactly at the model's prices and costs has no differences", () => {
    const cases = [{ signal: signal(), isFetched: true, why: null, positions: [position()], market }];
    expect(shown(cases)).toEqual({ model: 1.95, late: 0, slippage: 0, ownExits: 0, own: 1.95 });
  });

  it("a late entry, a worse fill and an early exit each have their own part", () => {
    const own = position({ openedMs: HOUR + 1_900_000, entryPrice: 101.3, exitPrice: 102.3 });
    const later = { price: 101, closedMs: HOUR + 1_800_000 };
    const cases = [{ signal: signal(), isFetched: true, why: null, positions: [own], market: later }];
    expect(shown(cases)).toEqual({ model: 1.95, late: -0.5, slippage: -0.1, ownExits: -0.85, own: 0.5 });
  });

  it("a SELL is the mirror of a BUY", () => {
    const sell = { side: "SELL", exitPrice: 96, label: "SELL" } as const;
    const own = position({ side: "SELL", entryPrice: 98.7, exitPrice: 97.7 });
    const later = { price: 99, closedMs: 2 * HOUR };
    const cases = [{ signal: signal(sell), isFetched: true, why: null, positions: [own], market: later }];
    expect(shown(cases)).toEqual({ model: 1.95, late: -0.5, slippage: -0.1, ownExits: -0.85, own: 0.5 });
  });

  it("a signal of unknown fetch, not fetched, not followed or without a result subtracts the model's result, losses too", () => {
    const lost = signal({ exitPrice: 98, resultR: -1.05 });
    const cases = [
      { signal: signal(), isFetched: false, why: null, positions: [], market: null },
      { signal: lost, isFetched: true, why: null, positions: [], market: null },
      { signal: signal(), isFetched: null, why: null, positions: [], market: null },
      {
        signal: signal(),
        isFetched: true,
        why: null,
        positions: [position({ closedMs: null, exitPrice: null })],
        market,
      },
    ];
    expect(shown(cases)).toEqual({
      ...{ model: 4.8, unknown: -1.95, notFetched: -1.95, notFollowed: 1.05, withoutResult: -1.95, own: 0 },
    });
  });

  it("signals not followed are split by the reported reason, and a reported signal counts as fetched", () => {
    const lost = signal({ exitPrice: 98, resultR: -1.05 });
    const { parts, whyNot } = decomposeResultDifference([
      { signal: signal(), isFetched: true, why: "SPREAD", positions: [], market: null },
      { signal: lost, isFetched: false, why: "SPREAD", positions: [], market: null },
      { signal: signal(), isFetched: true, why: null, positions: [], market: null },
      { signal: signal(), isFetched: false, why: null, positions: [], market: null },
    ]);
    expect(whyNot.map(({ reason, n, microR }) => [reason, n, microRToR(microR)])).toEqual([
      ["SPREAD", 2, -0.9],
      [null, 1, -1.95],
    ]);
    expect([parts.notFollowed.n, parts.notFetched.n]).toEqual([3, 1]);
  });

  it("a second position of a signal is a separate part, and prices of another instrument are ignored", () => {
    const twice = [position(), position({ executionId: 2 })];
    expect(shown([{ signal: signal(), isFetched: true, why: null, positions: twice, market }])).toMatchObject(
      {
        again: 1.95,
        own: 3.9,
      },
    );
    const wrong = [position({ entryPrice: 1.1, exitPrice: 1.2 })];
    expect(shown([{ signal: signal(), isFetched: true, why: null, positions: wrong, market }])).toEqual({
      ...{ model: 1.95, withoutResult: -1.95, own: 0 },
    });
  });

  it("signals with an open horizon are left out of the result difference", () => {
    const open = signal({ resultR: null, exitPrice: null, entryPrice: null, barrierDistance: null });
    expect(shown([{ signal: open, isFetched: false, why: null, positions: [position()], market }])).toEqual({
      model: 0,
      own: 0,
    });
  });

  it("the parts of the result difference add up to the last millionth for any reports", () => {
    const price = fc.oneof(
      fc.double({ noDefaultInfinity: true, noNaN: true }),
      fc.double({ min: 80, max: 120, noNaN: true }),
      fc.constantFrom(0, 100, 1e300, -1e300, Number.MAX_VALUE, 5e-324),
    );
    const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: null, freq: 8 });
    const anyPosition = fc
      .record({
        ...{ entryPrice: maybe(price), exitPrice: maybe(price), clockSuspect: fc.boolean() },
        closedMs: maybe(fc.constant(5 * HOUR)),
      })
      .map(position);
    const anySignal = fc
      .record({
        side: fc.constantFrom("BUY", "SELL" as const),
        entryPrice: fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
        barrierDistance: fc.oneof(fc.double({ min: 1e-8, max: 1e5, noNaN: true }), fc.constant(0)),
        resultR: maybe(fc.double({ min: -1e4, max: 1e4, noNaN: true })),
        moved: fc.double({ min: -10, max: 10, noNaN: true }),
      })
      .map(({ moved, ...made }) =>
        signal({ ...made, exitPrice: made.entryPrice + moved * made.barrierDistance }),
      );
    const anyCase = fc.record({
      signal: anySignal,
      isFetched: fc.constantFrom(true, false, null),
      why: fc.constantFrom(null, "SPREAD" as const),
      positions: fc.array(anyPosition, { maxLength: 4 }),
      market: maybe(fc.record({ price, closedMs: fc.integer({ min: 0, max: 9 * HOUR }) })),
    });
    fc.assert(
      fc.property(fc.array(anyCase, { maxLength: 40 }), (cases) => {
        const { model, parts, whyNot, own } = decomposeResultDifference(cases);
        expect(whyNot.reduce((sum, { microR }) => sum + microR, 0n)).toBe(parts.notFollowed.microR);
        expect(whyNot.reduce((sum, { n }) => sum + n, 0)).toBe(parts.notFollowed.n);
        const between = DIFFERENCE_PARTS.reduce((sum, name) => sum + parts[name].microR, 0n);
        expect(model.microR + between).toBe(own.microR);
        // Every resolved signal is in exactly one of these five parts.
        const { unknown, notFetched, notFollowed, withoutResult, ownExits } = parts;
        expect(unknown.n + notFetched.n + notFollowed.n + withoutResult.n + ownExits.n).toBe(model.n);
        expect(ownExits.n + parts.again.n).toBe(own.n);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("the signal followed by a position", () => {
  const first = signal();
  const second = signal({ signalId: 2, createdMs: 2 * HOUR, closesMs: 2 * HOUR, replacedMs: null });
  const followed = (change: Partial<ReportedPosition>) => {
    const { bySignal, nOthers } = matchPositions([second, first], [position(change)]);
    return nOthers === 1 ? null : [...bySignal.keys()][0];
  };

  it("the signal of a position is the named one when symbol, timeframe and side match", () => {
    expect(followed({ predId: 1, openedMs: 50 * HOUR })).toBe(1);
    expect(followed({ predId: 1, side: "SELL" })).toBeNull();
    expect(followed({ predId: 1, timeframe: "H4" })).toBeNull();
    expect(followed({ predId: 77 })).toBeNull();
  });

  it("without a named signal, a position has the current one of its slot and side at the opening", () => {
    expect(followed({ openedMs: HOUR + 5_000 })).toBe(1);
    expect(followed({ openedMs: 2 * HOUR })).toBe(2);
    expect(followed({ openedMs: 2 * HOUR, side: "SELL" })).toBeNull();
    expect(followed({ openedMs: 1_000 })).toBeNull();
  });

  it("the signal of a position tolerates a clock that is a minute off, but not a broker's clock", () => {
    expect([HOUR, HOUR - 58_000, HOUR - 60_000].map((openedMs) => followed({ openedMs }))).toEqual([
      1,
      1,
      null,
    ]);
    expect(followed({ openedMs: HOUR + 5_000, clockSuspect: true })).toBeNull();
  });
});
