import { describe, expect, it } from "vitest";
import type { IssuedSignal, ReportedPosition } from "@/db/queries/own-record";
import { funnelOf } from "@/lib/executions/own-record/funnel";
import type { SignalJourney } from "@/lib/executions/own-record/journey";
import { HOUR_MS, MINUTE_MS } from "@/lib/time";

/** A signal made a minute after its candle, fetched and followed some minutes later; null: no recorded fetch. */
function journey(fetchedMinutes: number | null, openedMinutes: number): SignalJourney {
  const signal = { tsMs: 0, closesMs: HOUR_MS, createdMs: HOUR_MS + MINUTE_MS } as IssuedSignal;
  const atMs = (minutes: number) => signal.createdMs + minutes * MINUTE_MS;
  return {
    signal,
    fetch: fetchedMinutes === null ? null : ({ atMs: atMs(fetchedMinutes) } as SignalJourney["fetch"]),
    isFetchKnown: true,
    positions: [{ openedMs: atMs(openedMinutes), closedMs: null } as ReportedPosition],
    market: null,
    why: null,
  };
}

describe("the time from the fetch to the opening", () => {
  it("the time from the fetch to the opening is the median of followed signals with a recorded fetch", () => {
    const funnel = funnelOf([journey(1, 5), journey(2, 8), journey(null, 3), journey(null, 4)]);
    expect(funnel).toMatchObject({ nFollowed: 4, nFollowTimes: 2, followMs: 5 * MINUTE_MS });
  });

  it("the time from the fetch to the opening is 0 for a position that a slow clock dates before the fetch", () => {
    expect(funnelOf([journey(5, 4.5)])).toMatchObject({ nFollowTimes: 1, followMs: 0 });
  });

  it("the time from the fetch to the opening leaves out a position that opened minutes before the fetch", () => {
    const funnel = funnelOf([journey(5, 1), journey(1, 3)]);
    expect(funnel).toMatchObject({ nFollowed: 2, nFollowTimes: 1, followMs: 2 * MINUTE_MS });
  });

  it("the time from the fetch to the opening is unknown without a recorded fetch", () => {
    expect(funnelOf([journey(null, 3)])).toMatchObject({ nFollowed: 1, nFollowTimes: 0, followMs: null });
  });
});
