import { describe, expect, it } from "vitest";
import type { ClientHistory } from "@/db/queries/client-history";
import { effectiveScope } from "@/lib/access/plans";
import { type ClientFacts, findDiagnostics } from "@/lib/subscribers/diagnostics";

const history: ClientHistory = {
  symbols: [],
  otherLabels: [],
  nClockSuspect: 0,
  openedAheadMinutes: null,
  closedWithoutTime: [],
  nRejected24h: 0,
  lastRejection: null,
};
const basic = { planTier: "basic" as const, symbolsAllowed: null, tfsAllowed: null, rateLimitPerMin: null };
const healthy: ClientFacts = {
  planTier: "basic",
  scope: effectiveScope(basic),
  history,
  polls: [],
  conditional: false,
  refusedSlots: [],
  unknownSlots: [],
  contradictedTickets: [],
  nExpectedSlots: 6,
  nFreshSlots: 6,
  pauses: [],
};
const codes = (facts: Partial<ClientFacts>) =>
  findDiagnostics({ ...healthy, ...facts }).map(({ code }) => code);
const pollsEvery = (seconds: number) => Array.from({ length: 10 }, (_, i) => i * seconds * 1000);

describe("diagnostics of a trading client", () => {
  it("diagnostics are empty for a healthy client that polls once a minute", () => {
    expect(codes({ polls: pollsEvery(60) })).toEqual([]);
  });

  it("diagnostics report polling that is far too frequent or too rare", () => {
    expect(codes({ polls: pollsEvery(1) })).toEqual(["polling_fast"]);
    expect(codes({ polls: pollsEvery(1800) })).toEqual(["polling_slow"]);
    expect(codes({ polls: [0, 1, 2] })).toEqual([]);
  });

  it('diagnostics say "more than once a second", "every second" or "every 2 seconds" for fast polling', () => {
    const message = (seconds: number) =>
      findDiagnostics({ ...healthy, polls: pollsEvery(seconds) })[0]?.message.split(";")[0];
    expect(message(0.01)).toBe("The EA reads signals more than once a second");
    expect(message(1.2)).toBe("The EA reads signals every second");
    expect(message(2)).toBe("The EA reads signals every 2 seconds");
  });

  it("diagnostics report a clock that is ahead by whole hours", () => {
    expect(codes({ history: { ...history, openedAheadMinutes: 180 } })).toEqual(["clock_skew"]);
    expect(codes({ history: { ...history, openedAheadMinutes: -1 } })).toEqual([]);
  });

  it("diagnostics report unknown timeframe labels as they were sent", () => {
    const [found] = findDiagnostics({ ...healthy, history: { ...history, otherLabels: ["R10", "RENKO5"] } });
    expect(found).toMatchObject({ code: "other_timeframe_labels", severity: "info" });
    expect(found?.message).toContain("the labels R10, RENKO5");
    expect(found?.fix).toContain("right for range bars");
    const [current] = findDiagnostics({ ...healthy, history: { ...history, otherLabels: ["0"] } });
    expect(current?.fix).toContain("0 is PERIOD_CURRENT: send the chart's timeframe");
  });

  it("diagnostics name one unknown slot in the singular, and several in the plural", () => {
    const message = (...requested: string[]) => {
      const unknownSlots = requested.map((slot) => ({ requested: slot, meant: null }));
      return findDiagnostics({ ...healthy, unknownSlots })[0]?.message;
    };
    expect(message("EURUSDM/H1")).toMatch(/EURUSDM\/H1, which does not exist here, .* for it\.$/);
    expect(message("EURUSDM/H1", "AUDUSD/H1")).toMatch(/AUDUSD\/H1, which do not exist here, .* for them\.$/);
  });

  it("a hidden symbol is named once, with the title of the plan", () => {
    const [found] = findDiagnostics({
      ...healthy,
      history: { ...history, symbols: ["USDJPY"] },
      refusedSlots: ["USDJPY/M15", "EURUSD/M5"],
    });
    expect(found?.message).toBe(
      "The EA asks for or trades USDJPY, EURUSD/M5, which your plan (Basic) does not include.",
    );
  });

  it("diagnostics list refusals before recommendations", () => {
    const lastRejection = { field: "ticket", msg: "is required" };
    const found = codes({
      polls: pollsEvery(1),
      nFreshSlots: 5,
      history: { ...history, symbols: ["EURUSD", "USDJPY"], nRejected24h: 3, lastRejection },
    });
    expect(found).toEqual(["reports_rejected", "plan_hides_symbols", "signals_stale", "polling_fast"]);
  });
});
