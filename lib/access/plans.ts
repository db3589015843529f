import { planNames } from "@/lib/runtime/plan-features";
import { type Plan, settingsCache } from "@/lib/runtime/settings-cache";
import type { PlanTier } from "@/lib/vocabulary";
import { AppError, invalidField } from "@/lib/wire/errors";

export type { Plan } from "@/lib/runtime/settings-cache";

/** Every plan as it is in force, the lowest first. */
export const plans = (): readonly Plan[] => settingsCache().now.plans;

/**
 * The plan of this name as it is in force. Throws unavailable for one that was made within the last moment: the
 * database knows it, this process not yet.
 */
export function planOf(name: PlanTier): Plan {
  const found = findPlan(name);
  if (!found) throw new AppError("unavailable", { headers: { "Retry-After": "1" } });
  return found;
}

/** The plan of this name; undefined when there is none. */
export const findPlan = (name: PlanTier): Plan | undefined => plans().find((plan) => plan.name === name);

/** Throws validation_failed when there is no plan of this name. */
export async function requirePlan(name: PlanTier, place: "body" | "query"): Promise<void> {
  await settingsCache().get();
  if (!findPlan(name)) throw invalidField(place, "plan_tier", "must be a plan");
}

/** The title of a plan, for people; its name while this process does not know it. */
export const planTitle = (name: PlanTier): string => findPlan(name)?.title ?? name;

/** The slots a key may see; null means every one. */
export interface Scope {
  symbols: readonly string[] | null;
  timeframes: readonly string[] | null;
  /** Scopes of plans side by side, of which the codes above are the whole: a slot lies within one of them. */
  parts?: readonly Box[];
  /** Set for a try-out key: signals are visible this many candles after their candle closed; missing: at once. */
  delayCandles?: number;
  /** Equal scopes have equal ids: the key of cached answers. */
  id: string;
}

/** Symbols and timeframes, each with each; null means every one. */
interface Box {
  symbols: readonly string[] | null;
  timeframes: readonly string[] | null;
}

export interface Grant {
  planTier: PlanTier;
  /** Plans in force beside it, itself among them; none or null: it alone. */
  plans?: readonly PlanTier[] | null;
  symbolsAllowed: readonly string[] | null;
  tfsAllowed: readonly string[] | null;
  rateLimitPerMin: number | null;
  /** Set for a try-out key; missing or null: signals are visible at once. */
  delayCandles?: number | null;
}

/** The owner of the installation sees everything. */
export const OWNER_GRANT = {
  planTier: "owner",
  symbolsAllowed: null,
  tfsAllowed: null,
  rateLimitPerMin: null,
} as const satisfies Grant;

/** The plans in force together, the highest first. */
export const plansHeld = ({ planTier, plans: together }: Pick<Grant, "planTier" | "plans">): Plan[] =>
  planNames({ planTier, plans: together }).map(planOf);

/** Plan and the key's own restrictions together. */
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

/** Requests per minute in force: the key's own figure, else the largest of its plans. */
export function effectiveRateLimit(grant: Grant): number {
  return grant.rateLimitPerMin ?? Math.max(...plansHeld(grant).map(({ rateLimitPerMin }) => rateLimitPerMin));
}

export function scopeIncludes(scope: Omit<Scope, "id">, symbol: string, timeframe: string): boolean {
  return (scope.parts ?? [scope]).some(
    (part) => (part.symbols?.includes(symbol) ?? true) && (part.timeframes?.includes(timeframe) ?? true),
  );
}

/** The part of a scope that filters leave over; a filter outside it leaves nothing. */
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

/** Whether a plan, without limits of a key's own, has a slot. */
export function planIncludes(plan: PlanTier, symbol: string, timeframe: string): boolean {
  return scopeIncludes(scopeOfPlan(planOf(plan)), symbol, timeframe);
}

/** The lowest plan that has a slot and is offered, else the lowest that has it. */
export function planWith(symbol: string, timeframe: string): PlanTier {
  const having = plans().filter((plan) => scopeIncludes(scopeOfPlan(plan), symbol, timeframe));
  return (having.find(({ isShown }) => isShown) ?? having[0])?.name ?? "owner";
}

/** The scope that a plan gives to a key without its own limits. */
export const scopeOfPlan = ({ symbols, timeframes }: Pick<Plan, "symbols" | "timeframes">): Scope =>
  makeScope(symbols, timeframes);

/** Whether anything at all is hidden. */
export function isNarrowed(scope: Scope): boolean {
  return !(scope.parts ?? [scope]).some(({ symbols, timeframes }) => symbols === null && timeframes === null);
}

function intersect(a: readonly string[] | null, b: readonly string[] | null): readonly string[] | null {
  if (a === null && b === null) return null;
  if (a === null || b === null) return [...new Set(a ?? b)].sort();
  return a.filter((item) => b.includes(item)).sort();
}
