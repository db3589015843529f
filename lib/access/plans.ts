import { planNames } from "@/lib/runtime/plan-features";
import { type Plan, settingsCache } from "@/lib/runtime/settings-cache";
import type { PlanTier } from "@/lib/vocabulary";
import { AppError, invalidField } from "@/lib/wire/errors";

export type { Plan } from "@/lib/runtime/settings-cache";

/** All plans as cached, the lowest rank first. */
export const plans = (): readonly Plan[] => settingsCache().now.plans;

/**
 * The cached plan of this name. Throws unavailable if the cache has none, as for a plan created within the last second,
 * which this process has not loaded yet.
 */
export function planOf(name: PlanTier): Plan {
  const found = findPlan(name);
  if (!found) throw new AppError("unavailable", { headers: { "Retry-After": "1" } });
  return found;
}

/** The plan of this name, or undefined. */
export const findPlan = (name: PlanTier): Plan | undefined => plans().find((plan) => plan.name === name);

/** Throws validation_failed if no plan has this name. */
export async function requirePlan(name: PlanTier, place: "body" | "query"): Promise<void> {
  await settingsCache().get();
  if (!findPlan(name)) throw invalidField(place, "plan_tier", unknownPlanMessage());
}

/** What a field with an unknown plan must be, by the plans in force. */
export const unknownPlanMessage = (): string =>
  `must be one of ${plans()
    .map(({ name }) => name)
    .join(", ")}`;

/** The displayed title of a plan; its name until this process has loaded the plan. */
export const planTitle = (name: PlanTier): string => findPlan(name)?.title ?? name;

/** The slots that a key may see. `symbols` or `timeframes` null: all of them. */
export interface Scope {
  symbols: readonly string[] | null;
  timeframes: readonly string[] | null;
  /** With several plans: one part per plan. A slot must lie within a part; the lists above are only the union of the parts. */
  parts?: readonly Box[];
  /** Set for a try-out key: signals are visible this many candles after their candle closed; missing: at once. */
  delayCandles?: number;
  /** Equal scopes have equal ids, which are keys of caches. */
  id: string;
}

/** All slots with one of these symbols and one of these timeframes; null: any. */
interface Box {
  symbols: readonly string[] | null;
  timeframes: readonly string[] | null;
}

export interface Grant {
  planTier: PlanTier;
  /** All plans in force, including `planTier`; missing or null: `planTier` only. */
  plans?: readonly PlanTier[] | null;
  symbolsAllowed: readonly string[] | null;
  tfsAllowed: readonly string[] | null;
  rateLimitPerMin: number | null;
  /** Set for a try-out key; missing or null: signals are visible at once. */
  delayCandles?: number | null;
}

/** The grant of the owner of the installation: every symbol and timeframe. */
export const OWNER_GRANT = {
  planTier: "owner",
  symbolsAllowed: null,
  tfsAllowed: null,
  rateLimitPerMin: null,
} as const satisfies Grant;

/** The plans in force, the highest first. */
export const plansHeld = ({ planTier, plans: together }: Pick<Grant, "planTier" | "plans">): Plan[] =>
  planNames({ planTier, plans: together }).map(planOf);

/** The scope of the grant's plans in force, or of `plan` instead, within the key's own limits. */
export function effectiveScope(grant: Grant, plan?: Plan): Scope {
  const held = plan ? [plan] : plansHeld(grant);
  const scope = uniteScopes(
    held.map(({ symbols, timeframes }) =>
      makeScope(intersect(symbols, grant.symbolsAllowed), intersect(timeframes, grant.tfsAllowed)),
    ),
  );
  return withDelay(scope, grant.delayCandles);
}

const withDelay = (scope: Scope, delayCandles: number | null | undefined): Scope =>
  delayCandles == null ? scope : { ...scope, delayCandles, id: `${scope.id}|delay=${delayCandles}` };

function uniteScopes([first, ...others]: Scope[]): Scope {
  if (first === undefined) return makeScope([], []);
  if (others.length === 0) return first;
  const parts = [first, ...others].map(({ symbols, timeframes }) => ({ symbols, timeframes }));
  const whole = makeScope(
    unite(parts.map(({ symbols }) => symbols)),
    unite(parts.map(({ timeframes }) => timeframes)),
  );
  return { ...whole, parts, id: [first, ...others].map(({ id }) => id).join("+") };
}

function unite(lists: readonly (readonly string[] | null)[]): readonly string[] | null {
  if (lists.includes(null)) return null;
  return [...new Set(lists.flatMap((list) => list ?? []))].sort();
}

function makeScope(symbols: readonly string[] | null, timeframes: readonly string[] | null): Scope {
  return { symbols, timeframes, id: `${symbols?.join(",") ?? "*"}/${timeframes?.join(",") ?? "*"}` };
}

/** Allowed requests per minute: the key's own limit, otherwise the highest limit of its plans. */
export function effectiveRateLimit(grant: Grant): number {
  return grant.rateLimitPerMin ?? Math.max(...plansHeld(grant).map(({ rateLimitPerMin }) => rateLimitPerMin));
}

export function scopeIncludes(scope: Omit<Scope, "id">, symbol: string, timeframe: string): boolean {
  return (scope.parts ?? [scope]).some(
    (part) => (part.symbols?.includes(symbol) ?? true) && (part.timeframes?.includes(timeframe) ?? true),
  );
}

/** The part of a scope that passes filters; empty for a filter outside the scope. */
export function narrowScope(
  scope: Scope,
  filter: { symbol?: string | undefined; timeframe?: string | undefined },
): Scope {
  const narrowed = uniteScopes(
    (scope.parts ?? [scope]).map(({ symbols, timeframes }) =>
      makeScope(
        intersect(symbols, filter.symbol === undefined ? null : [filter.symbol]),
        intersect(timeframes, filter.timeframe === undefined ? null : [filter.timeframe]),
      ),
    ),
  );
  return withDelay(narrowed, scope.delayCandles);
}

/** Whether a plan includes a slot, for a key without its own limits. */
export function planIncludes(plan: PlanTier, symbol: string, timeframe: string): boolean {
  return scopeIncludes(scopeOfPlan(planOf(plan)), symbol, timeframe);
}

/** The lowest offered plan that includes a slot, otherwise the lowest one that does. */
export function lowestPlanIncluding(symbol: string, timeframe: string): PlanTier {
  const having = plans().filter((plan) => scopeIncludes(scopeOfPlan(plan), symbol, timeframe));
  return (having.find(({ isShown }) => isShown) ?? having[0])?.name ?? "owner";
}

/** The scope that a plan gives to a key without its own limits. */
export const scopeOfPlan = ({ symbols, timeframes }: Pick<Plan, "symbols" | "timeframes">): Scope =>
  makeScope(symbols, timeframes);

/** Whether the scope is limited to listed symbols or timeframes. */
export function isNarrowed(scope: Scope): boolean {
  return !(scope.parts ?? [scope]).some(({ symbols, timeframes }) => symbols === null && timeframes === null);
}

function intersect(a: readonly string[] | null, b: readonly string[] | null): readonly string[] | null {
  if (a === null && b === null) return null;
  if (a === null || b === null) return [...new Set(a ?? b)].sort();
  return a.filter((item) => b.includes(item)).sort();
}
