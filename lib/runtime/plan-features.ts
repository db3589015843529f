import { operated, type Plan } from "./operated";

/** What a plan includes besides its slots. */
export type PlanFeature = "longPoll" | "stream" | "webhooks" | "telegram";

type PlanName = Plan["name"];

/** The plan of a key, and the plans in force beside it, itself among them; none or null: it alone. */
export interface HeldPlans {
  planTier: PlanName;
  plans?: readonly PlanName[] | null;
  /** Set for a try-out key, which asks and is never pushed to; none or null: another key. */
  delayCandles?: number | null;
}

/** The names of the plans in force together, the highest first. */
export const planNames = ({ planTier, plans: together }: HeldPlans): readonly PlanName[] =>
  together ?? [planTier];

/**
 * Whether one of the plans in force together includes a feature; a plan that this process does not know yet has none. Nor
 * has a try-out key: what waits or is pushed cannot be delayed honestly.
 */
export function includesFeature(held: HeldPlans, feature: PlanFeature): boolean {
  if (held.delayCandles != null) return false;
  const names = planNames(held);
  return operated().now.plans.some((plan) => names.includes(plan.name) && plan[feature]);
}

/**
 * Whether a plan in force is one that a trading client is connected with. A plan that this process does not know yet
 * counts as one, because that is what most plans are.
 */
export const tradesByEa = (held: HeldPlans): boolean =>
  planNames(held).some(
    (name) => operated().now.plans.find((plan) => plan.name === name)?.tradingClient ?? true,
  );
