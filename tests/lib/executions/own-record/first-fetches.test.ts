import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SignalFetchAdvance } from "@/db/queries/signal-fetches";
import { type FetchableSignal, firstSignalFetches } from "@/lib/executions/own-record/first-fetches";

const HOUR = 3_600_000;

/** An hourly signal of slot 1 at this hour, replaced an hour later. */
const signal = (seq: number, change: Partial<FetchableSignal> = {}): FetchableSignal => {
  const made = { seq, slotId: 1, confidence: 0.6, createdMs: seq * HOUR, candleMs: HOUR };
  return { ...made, replacedMs: (seq + 1) * HOUR, ...change };
};
const advance = (
  upTo: number,
  atMs: number,
  change: Partial<SignalFetchAdvance> = {},
): SignalFetchAdvance => ({
  ...{ way: "scan", slotId: 0, minConfidence: 0, reach: 1, upTo, atMs },
  ...change,
});
const firstOf = (one: FetchableSignal, ...advances: SignalFetchAdvance[]) =>
  firstSignalFetches([one], advances)[0];

describe("the first fetch of a signal", () => {
  it("the first fetch is the earliest answer that included the signal, even when it was not written first", () => {
    const answers = [advance(5, 5 * HOUR + 70), advance(5, 5 * HOUR + 20), advance(4, 4 * HOUR + 1)];
    expect(firstOf(signal(5), ...answers)).toEqual({ atMs: 5 * HOUR + 20, way: "scan" });
  });

  it("a signal replaced before any scan has no first fetch", () => {
    expect(firstOf(signal(5), advance(7, 7 * HOUR + 1))).toBeNull();
    expect(firstOf(signal(5, { replacedMs: null }), advance(7, 7 * HOUR + 1))?.atMs).toBe(7 * HOUR + 1);
  });

  it("a fetch of a slot's history counts only as far back as requested, and for that slot only", () => {
    const history = (reach: number, slotId = 1) =>
      advance(7, 7 * HOUR + 1, { way: "history", slotId, reach });
    expect(firstOf(signal(5), history(3))?.way).toBe("history");
    expect(firstOf(signal(5), history(2))).toBeNull();
    expect(firstOf(signal(5), history(200, 2))).toBeNull();
  });

  it("a scan whose confidence filter excluded the signal is no fetch of it", () => {
    expect(firstOf(signal(5), advance(5, 5 * HOUR + 1, { minConfidence: 0.61 }))).toBeNull();
    expect(firstOf(signal(5), advance(5, 5 * HOUR + 1, { minConfidence: 0.6 }))).not.toBeNull();
  });

  it("a stream event with the signal's number is a fetch, even in a later replay, but not of a stream opened after it", () => {
    const stream = (upTo: number, reach: number, atMs: number) =>
      advance(upTo, atMs, { way: "stream", reach });
    expect(firstOf(signal(5), stream(9, 5, 9 * HOUR))).toEqual({ atMs: 9 * HOUR, way: "stream" });
    expect(firstOf(signal(5), stream(9, 4, 9 * HOUR))).toBeNull();
  });

  it("answers before the signal was made are no fetch of it, even when a restored database reuses numbers", () => {
    const before = [advance(5, HOUR), advance(9, 2 * HOUR, { way: "stream", reach: 9 })];
    expect(firstOf(signal(5), ...before)).toBeNull();
    expect(firstOf(signal(5), ...before, advance(5, 5 * HOUR + 3))?.atMs).toBe(5 * HOUR + 3);
  });

  it("the first fetches equal those found by a search through all answers", () => {
    const anySignals = fc
      .uniqueArray(fc.integer({ min: 1, max: 30 }), { minLength: 1 })
      .map((seqs) =>
        seqs.map((seq) =>
          signal(seq, { slotId: 1 + (seq % 2), replacedMs: seq % 5 === 0 ? null : (seq + 2) * HOUR }),
        ),
      );
    const anyAdvance = fc.record({
      way: fc.constantFrom("scan", "wait", "stream", "history" as const),
      upTo: fc.integer({ min: 1, max: 31 }),
      atMs: fc.integer({ min: HOUR, max: 40 * HOUR }),
      reach: fc.integer({ min: 1, max: 12 }),
      minConfidence: fc.constantFrom(0, 0.9),
      slotId: fc.constantFrom(1, 2),
    });
    const anyAdvances = fc.array(
      anyAdvance.map((one): SignalFetchAdvance => {
        if (one.way === "history") return { ...one, minConfidence: 0 };
        if (one.way === "stream") return { ...one, minConfidence: 0, slotId: 0 };
        return { ...one, slotId: 0, reach: 1 };
      }),
    );
    const shows = (one: SignalFetchAdvance, s: FetchableSignal): boolean => {
      if (one.atMs < s.createdMs || one.upTo < s.seq || s.confidence < one.minConfidence) return false;
      if (one.way === "stream") return s.seq > one.upTo - one.reach;
      if (one.slotId !== 0 && one.slotId !== s.slotId) return false;
      const back = one.reach === 1 ? 0 : s.createdMs + one.reach * s.candleMs;
      return s.replacedMs === null || one.atMs < Math.max(s.replacedMs, back);
    };
    fc.assert(
      fc.property(anySignals, anyAdvances, (signals, advances) => {
        const searched = signals.map((s) => {
          const times = advances.filter((one) => shows(one, s)).map(({ atMs }) => atMs);
          return times.length === 0 ? null : Math.min(...times);
        });
        expect(firstSignalFetches(signals, advances).map((fetch) => fetch?.atMs ?? null)).toEqual(searched);
      }),
      { numRuns: 500 },
    );
  });
});
