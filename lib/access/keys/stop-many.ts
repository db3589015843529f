import type { Database } from "@/db/client";
import { countStoppable, stopMatching } from "@/db/queries/stop-subscribers";
import type { SubscriberFilter } from "@/db/queries/subscribers";
import { type Actor, recordAudits } from "@/lib/runtime/audit";
import type { ListAct } from "@/lib/vocabulary";

/**
 * Suspends or revokes the newest key of everyone whom the filter matches and whom the act concerns; returns how many,
 * or null when they are no longer as many as were shown before it was confirmed: then nothing is changed.
 */
export async function stopMany(
  database: Database,
  wanted: { filter: SubscriberFilter; act: ListAct; shown: number },
  actor: Actor,
): Promise<number | null> {
  const { filter, act, shown } = wanted;
  return database.transaction(async (tx) => {
    if ((await countStoppable(tx, filter))[act] !== shown) return null;
    const stopped = await stopMatching(tx, filter, act);
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
