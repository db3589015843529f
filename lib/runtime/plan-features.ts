import { operated, type Plan } from "./operated";

/** What a plan includes besides its slots. */
export type PlanFeature = "longPoll" | "stream" | "webhooks" | "telegram";

type PlanName = Plan["name"];

/** The plan of a key, and the plans in force beside it, itself among them; none or null: it alone. */
export interface HeldPlans {
  planTier: PlanName;
  plans?: readonly PlanName[] | null;
}

/** The names of the plans in force together, the highest first. */
export const planNames = ({ planTier, plans: together }: HeldPlans): readonly PlanName[] =>
  together ?? [planTier];

/** Whether one of the plans in force together includes a feature; a plan that this process does not know yet has none. */
export function includesFeature(held: HeldPlans, feature: PlanFeature): boolean {
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

/** Whether pages speak of an EA: one has called, or a plan in force is for one. */
export const usesEa = (held: HeldPlans, seenAt: Date | null): boolean => seenAt !== null || tradesByEa(held);
