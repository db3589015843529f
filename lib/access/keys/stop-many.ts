import type { Database } from "@/db/client";
import { applyBulkAction, countBulkActionTargets } from "@/db/queries/bulk-actions";
import type { SubscriberFilter } from "@/db/queries/subscribers";
import { type Actor, recordAudits } from "@/lib/runtime/audit";
import type { BulkAction } from "@/lib/vocabulary";

/**
 * Suspends or revokes the newest key of every subscriber that matches the filter, unless its state rules that
 * out. Returns how many, or null without a change if their number differs from the one that was confirmed.
 */
export async function stopMany(
  database: Database,
  wanted: { filter: SubscriberFilter; act: BulkAction; shown: number },
  actor: Actor,
): Promise<number | null> {
  const { filter, act, shown } = wanted;
  return database.transaction(async (tx) => {
    if ((await countBulkActionTargets(tx, filter))[act] !== shown) return null;
    const stopped = await applyBulkAction(tx, filter, act);
    await recordAudits(
      tx,
      stopped.map(({ keyId, subscriptionId }) => ({
        actor,
        action: `key.${act}`,
        target: `key/${keyId}`,
        subscriptionId,
        details: { together: stopped.length },
      })),
    );
    return stopped.length;
  });
}
