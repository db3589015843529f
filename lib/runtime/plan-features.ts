import { type Plan, settingsCache } from "./settings-cache";

/** Features, besides its slots, that a plan can include. */
export type PlanFeature = "longPoll" | "stream" | "webhooks" | "telegram";

type PlanName = Plan["name"];

/**
 * The plans of a key. `planTier` is the highest; `plans` lists all plans in force at the same time, `planTier`
 * included. null or missing: only `planTier`.
 */
export interface PlansOfKey {
  planTier: PlanName;
  plans?: readonly PlanName[] | null;
  /** Delay of a try-out key's signals in candles; null or missing: not a try-out key. */
  delayCandles?: number | null;
}

/** The names of all plans of a key, the highest first. */
export const planNames = ({ planTier, plans: together }: PlansOfKey): readonly PlanName[] =>
  together ?? [planTier];

/**
 * Whether one of the key's plans includes a feature. A plan that the settings cache does not contain yet includes none.
 * A try-out key has none, because its delay could not be enforced for long polls and pushed messages.
 */
export function includesFeature(held: PlansOfKey, feature: PlanFeature): boolean {
  if (held.delayCandles != null) return false;
  const names = planNames(held);
  return settingsCache().now.plans.some((plan) => names.includes(plan.name) && plan[feature]);
}

/**
 * Whether one of the key's plans is for a trading client. A plan that the settings cache does not contain yet counts as
 * one, because most plans are.
 */
export const includesTradingClient = (held: PlansOfKey): boolean =>
  planNames(held).some(
    (name) => settingsCache().now.plans.find((plan) => plan.name === name)?.tradingClient ?? true,
  );

/**
 * Whether pages show what concerns an EA: an EA has called (`seenAt`), or one of the key's plans is for a trading
 * client.
 */
export const usesEa = (held: PlansOfKey, seenAt: Date | null): boolean =>
  seenAt !== null || includesTradingClient(held);
