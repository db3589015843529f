import type { Database } from "@/db/client";
import { applyBulkAction, countBulkActionTargets } from "@/db/queries/bulk-actions";
import type { SubscriberFilter } from "@/db/queries/subscribers";
import { type Actor, recordAudits } from "@/lib/runtime/audit";
import type { BulkKeyAction } from "@/lib/vocabulary";

/**
 * Suspends, revokes or reinstates (`act`) the newest key of every subscriber that matches the filter, if the key's
 * state allows it. Returns the number of changed keys, or null without a change if that number differs from the
 * confirmed one, `shown`.
 */
export async function applyBulkKeyAction(
  database: Database,
  wanted: { filter: SubscriberFilter; act: BulkKeyAction; shown: number },
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
