import type { Database } from "@/db/client";
import { replacePreferences } from "@/db/queries/subscriptions";
import type { SubscriptionPreferences } from "@/db/schema";
import { type Actor, recordAudit } from "@/lib/runtime/audit";

/** Changes some preferences of a subscriber; the others keep their values. Writes an audit row. */
export async function changePreferences(
  database: Database,
  subscription: { subscriptionId: number; preferences: SubscriptionPreferences },
  change: SubscriptionPreferences,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    await replacePreferences(tx, subscription.subscriptionId, { ...subscription.preferences, ...change });
    await recordAudit(tx, {
      actor,
      action: "preferences.change",
      target: `subscription/${subscription.subscriptionId}`,
      subscriptionId: subscription.subscriptionId,
      details: { changed: Object.keys(change) },
    });
  });
}
