import { type Plan, settingsCache } from "./settings-cache";

/** What a plan includes besides its slots. */
export type PlanFeature = "longPoll" | "stream" | "webhooks" | "telegram";

type PlanName = Plan["name"];

/** The plan of a key. `plans` lists all concurrent plans, this one among them; null or missing: only this one. */
export interface PlansOfKey {
  planTier: PlanName;
  plans?: readonly PlanName[] | null;
  /** Set for a try-out key, which gets no pushed messages; missing or null: not a try-out. */
  delayCandles?: number | null;
}

/** The names of all concurrent plans, the highest first. */
export const planNames = ({ planTier, plans: together }: PlansOfKey): readonly PlanName[] =>
  together ?? [planTier];

/**
 * Whether one of the concurrent plans includes a feature. A plan that this process has not loaded yet has none. A try-out
 * key has none either: the delay of a long poll or a pushed message could not be enforced.
 */
export function includesFeature(held: PlansOfKey, feature: PlanFeature): boolean {
  if (held.delayCandles != null) return false;
  const names = planNames(held);
  return settingsCache().now.plans.some((plan) => names.includes(plan.name) && plan[feature]);
}

/**
 * Whether one of the plans includes a trading client. A plan that this process has not loaded yet counts as one,
 * because most plans do.
 */
export const tradesByEa = (held: PlansOfKey): boolean =>
  planNames(held).some(
    (name) => settingsCache().now.plans.find((plan) => plan.name === name)?.tradingClient ?? true,
  );

/** Whether pages show EA settings: an EA has called, or a current plan includes a trading client. */
export const usesEa = (held: PlansOfKey, seenAt: Date | null): boolean => seenAt !== null || tradesByEa(held);
