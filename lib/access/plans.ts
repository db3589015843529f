import { PLAN_TIERS, type PlanTier } from "@/lib/vocabulary";

/** The scope and the requests per minute of each plan. */
export const PLANS = {
  telegram: { rateLimitPerMin: 30, symbols: ["EURUSD", "GBPUSD", "XAUUSD"], timeframes: ["H1", "H4"] },
  basic: { rateLimitPerMin: 60, symbols: ["EURUSD", "GBPUSD", "XAUUSD"], timeframes: ["H1", "H4"] },
  pro: { rateLimitPerMin: 300, symbols: null, timeframes: null },
  owner: { rateLimitPerMin: 1000, symbols: null, timeframes: null },
} as const satisfies Record<
  PlanTier,
  {
    rateLimitPerMin: number;
    symbols: readonly string[] | null;
    timeframes: readonly string[] | null;
  }
>;

/** The slots a key may see; null means every one. */
export interface Scope {
  symbols: readonly string[] | null;
  timeframes: readonly string[] | null;
  /** Equal scopes have equal ids: the key of cached answers. */
  id: string;
}

export interface Grant {
  planTier: PlanTier;
  symbolsAllowed: readonly string[] | null;
  tfsAllowed: readonly string[] | null;
  rateLimitPerMin: number | null;
}

/** The owner of the installation sees everything. */
export const OWNER_GRANT = {
  planTier: "owner",
  symbolsAllowed: null,
  tfsAllowed: null,
  rateLimitPerMin: null,
} as const satisfies Grant;

/** Plan and the key's own restrictions together. */
export function effectiveScope(grant: Grant): Scope {
  const plan = PLANS[grant.planTier];
  return makeScope(
    intersect(plan.symbols, grant.symbolsAllowed),
    intersect(plan.timeframes, grant.tfsAllowed),
  );
}

function makeScope(symbols: readonly string[] | null, timeframes: readonly string[] | null): Scope {
  return { symbols, timeframes, id: `${symbols?.join(",") ?? "*"}/${timeframes?.join(",") ?? "*"}` };
}

/** The plan that includes the other. */
export function higherPlan(a: PlanTier, b: PlanTier): PlanTier {
  return PLAN_TIERS.indexOf(a) > PLAN_TIERS.indexOf(b) ? a : b;
}

/** Requests per minute in force: the key's own figure, else the plan's. */
export function effectiveRateLimit(grant: Grant): number {
  return grant.rateLimitPerMin ?? PLANS[grant.planTier].rateLimitPerMin;
}

export function scopeIncludes(scope: Scope, symbol: string, timeframe: string): boolean {
  return (scope.symbols?.includes(symbol) ?? true) && (scope.timeframes?.includes(timeframe) ?? true);
}

/** The part of a scope that filters leave over; a filter outside it leaves nothing. */
export function narrowScope(
  scope: Scope,
  filter: { symbol?: string | undefined; timeframe?: string | undefined },
): Scope {
  return makeScope(
    intersect(scope.symbols, filter.symbol === undefined ? null : [filter.symbol]),
    intersect(scope.timeframes, filter.timeframe === undefined ? null : [filter.timeframe]),
  );
}

/** Whether a plan, without limits of a key's own, has a slot. */
export function planIncludes(plan: PlanTier, symbol: string, timeframe: string): boolean {
  return scopeIncludes(makeScope(PLANS[plan].symbols, PLANS[plan].timeframes), symbol, timeframe);
}

/** The smallest plan that has a slot. */
export function planWith(symbol: string, timeframe: string): PlanTier {
  return PLAN_TIERS.find((plan) => planIncludes(plan, symbol, timeframe)) ?? "owner";
}

/** Whether anything at all is hidden. */
export function isNarrowed(scope: Scope): boolean {
  return scope.symbols !== null || scope.timeframes !== null;
}

function intersect(a: readonly string[] | null, b: readonly string[] | null): readonly string[] | null {
  if (a === null && b === null) return null;
  if (a === null || b === null) return [...new Set(a ?? b)].sort();
  return a.filter((item) => b.includes(item)).sort();
}
