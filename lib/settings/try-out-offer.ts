import { settingsCache } from "@/lib/runtime/settings-cache";
import type { PlanTier } from "@/lib/vocabulary";
import { cachedSetting } from "./cached-settings";

/** Plan, delay and duration of a try-out key. */
export interface TryOutOffer {
  planTier: PlanTier;
  planTitle: string;
  /** Signals are visible this many candles after their candle closed. */
  delayCandles: number;
  days: number;
}

/**
 * The current offer, for the lowest shown plan with a trading client. null: try-outs are off, there is no such plan,
 * or the settings cannot be read.
 */
export async function tryOutOffer(): Promise<TryOutOffer | null> {
  const held = await settingsCache()
    .get()
    .catch(() => null);
  if (held === null) return null;
  const { enabled, delayCandles, days } = cachedSetting("try_out");
  // The lowest plan comes first.
  const plan = settingsCache().now.plans.find(({ isShown, tradingClient }) => isShown && tradingClient);
  return enabled && plan ? { planTier: plan.name, planTitle: plan.title, delayCandles, days } : null;
}
