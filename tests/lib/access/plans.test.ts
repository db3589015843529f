import { describe, expect, it } from "vitest";
import {
  effectiveRateLimit,
  effectiveScope,
  type Grant,
  isNarrowed,
  lowestPlanIncluding,
  planIncludes,
  plans,
  scopeIncludes,
} from "@/lib/access/plans";

const grant = (wish: Partial<Grant>): Grant => ({
  planTier: "pro",
  symbolsAllowed: null,
  tfsAllowed: null,
  rateLimitPerMin: null,
  ...wish,
});

describe("plans", () => {
  it("the plans telegram and basic include XAUUSD on H4, and neither USDJPY nor M15", () => {
    for (const planTier of ["telegram", "basic"] as const) {
      const scope = effectiveScope(grant({ planTier }));
      expect(scopeIncludes(scope, "XAUUSD", "H4")).toBe(true);
      expect(scopeIncludes(scope, "USDJPY", "H1")).toBe(false);
      expect(scopeIncludes(scope, "EURUSD", "M15")).toBe(false);
      expect(isNarrowed(scope)).toBe(true);
    }
  });

  it("the plans pro and owner have every symbol and timeframe", () => {
    for (const planTier of ["pro", "owner"] as const) {
      const scope = effectiveScope(grant({ planTier }));
      expect(scopeIncludes(scope, "ANYTHING", "MN1")).toBe(true);
      expect(isNarrowed(scope)).toBe(false);
    }
  });

  it("a key's restrictions narrow its plan, and never widen it", () => {
    const narrowed = effectiveScope(
      grant({ planTier: "basic", symbolsAllowed: ["EURUSD", "BTCUSD"], tfsAllowed: ["M15"] }),
    );
    expect(narrowed).toMatchObject({ symbols: ["EURUSD"], timeframes: [] });
    const pro = effectiveScope(grant({ symbolsAllowed: ["BTCUSD"] }));
    expect(scopeIncludes(pro, "BTCUSD", "M15")).toBe(true);
    expect(scopeIncludes(pro, "EURUSD", "M15")).toBe(false);
    expect(isNarrowed(pro)).toBe(true);
  });

  it("a key with an empty list of allowed symbols has no slot", () => {
    const scope = effectiveScope(grant({ symbolsAllowed: [] }));
    expect(scope.symbols).toEqual([]);
    expect(scopeIncludes(scope, "EURUSD", "H1")).toBe(false);
  });

  it("equal scopes have equal ids, whatever the order of their lists", () => {
    const one = effectiveScope(grant({ symbolsAllowed: ["B", "A"], tfsAllowed: ["H4", "H1"] }));
    const other = effectiveScope(grant({ symbolsAllowed: ["A", "B"], tfsAllowed: ["H1", "H4"] }));
    expect(one.id).toBe(other.id);
    expect(one.id).not.toBe(effectiveScope(grant({ symbolsAllowed: ["A"], tfsAllowed: ["H1"] })).id);
  });

  it("a key has the plan's rate limit unless it has its own", () => {
    expect(plans().map((plan) => plan.rateLimitPerMin)).toEqual([30, 60, 300, 1000]);
    expect(effectiveRateLimit(grant({ planTier: "telegram" }))).toBe(30);
    expect(effectiveRateLimit(grant({ planTier: "telegram", rateLimitPerMin: 5 }))).toBe(5);
  });

  it("lowestPlanIncluding returns the lowest offered plan that includes a symbol and timeframe", () => {
    expect(lowestPlanIncluding("EURUSD", "H1")).toBe("telegram");
    expect(lowestPlanIncluding("EURUSD", "M5")).toBe("pro");
    expect(lowestPlanIncluding("BTCUSD", "H4")).toBe("pro");
    expect([planIncludes("basic", "XAUUSD", "H4"), planIncludes("basic", "XAUUSD", "D1")]).toEqual([
      true,
      false,
    ]);
  });

  it("parallel plans combine their scopes, without extra slots", () => {
    const scope = {
      symbols: ["EURUSD", "XAUUSD"],
      timeframes: null,
      parts: [
        { symbols: ["XAUUSD"], timeframes: null },
        { symbols: ["EURUSD"], timeframes: ["H1"] },
      ],
      id: "x",
    };
    const sees = (symbol: string, timeframe: string) => scopeIncludes(scope, symbol, timeframe);
    expect([sees("XAUUSD", "M5"), sees("EURUSD", "H1"), sees("EURUSD", "M5")]).toEqual([true, true, false]);
    expect(isNarrowed(scope)).toBe(true);
  });
});
