import { settingsCache } from "@/lib/runtime/settings-cache";
import type { PlanTier } from "@/lib/vocabulary";
import { cachedSetting } from "./cached-settings";

/** What a visitor gets who asks for a try-out key. */
export interface TryOutOffer {
  planTier: PlanTier;
  planTitle: string;
  /** How many candles after the close of its own a signal is seen. */
  delayCandles: number;
  days: number;
}

/** The try-out that the operator offers: of the lowest plan on offer for trading clients; null: none. */
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
