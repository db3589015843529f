import type { Database } from "@/db/client";
import { countExtendable, extendMatching, type SubscriberFilter } from "@/db/queries/subscribers";
import { type Actor, recordAudits } from "@/lib/runtime/audit";

/**
 * Moves the end of access of everyone whom the filter matches, whose access works and who has an end; returns how many,
 * or null when they are no longer as many as were shown before it was confirmed: then nothing is changed.
 */
export async function extendMany(
  database: Database,
  wanted: { filter: SubscriberFilter; days: number; shown: number },
  actor: Actor,
): Promise<number | null> {
  const { filter, days, shown } = wanted;
  return database.transaction(async (tx) => {
    if ((await countExtendable(tx, filter)) !== shown) return null;
    const extended = await extendMatching(tx, filter, days);
    await recordAudits(
      tx,
      extended.map(({ keyId, subscriptionId, was, until }) => ({
        actor,
        action: "key.extend",
        target: `key/${keyId}`,
        subscriptionId,
        details: { from: was.toISOString(), to: until.toISOString(), together: extended.length },
      })),
    );
    return extended.length;
  });
}
