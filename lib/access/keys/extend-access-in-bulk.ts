import type { Database } from "@/db/client";
import {
  type BulkExtension,
  completeExtensionBatch,
  findBulkExtensionByForm,
  insertBulkExtension,
  listUnfinishedExtensions,
  lockExtensionBatch,
} from "@/db/queries/bulk-extensions";
import { readClock } from "@/db/queries/clock";
import { lockExtendableKeys, type SubscriberFilter } from "@/db/queries/subscribers";
import { type Actor, recordAudits } from "@/lib/runtime/audit";
import { DAY_MS } from "@/lib/time";
import { changePaidTime, paidTimeToAdd } from "./paid-time-of-keys";

/** Subscribers per transaction. A transaction takes about 250 ms, and payments of these subscribers wait for it. */
const AT_ONCE = 1000;

/**
 * Extends the access of all subscribers that match the filter and have access with an end date: the first batch at once,
 * the others in the worker. Returns the progress. Changes nothing and returns null if their number differs from the
 * confirmed one. Sending the same form again changes nothing.
 */
export async function extendAccessInBulk(
  database: Database,
  wanted: { filter: SubscriberFilter; days: number; shown: number; formId: string },
  actor: Actor,
): Promise<BulkExtension | null> {
  const begun = await insertBulkExtension(database, { ...wanted, actor });
  if (begun !== null) await extendNext(database, begun);
  return findBulkExtensionByForm(database, wanted.formId);
}

/** Continues the unfinished extensions. */
export async function continueBulkExtensions(database: Database, signal: AbortSignal): Promise<void> {
  for (const id of await listUnfinishedExtensions(database))
    while (!signal.aborted && (await extendNext(database, id)));
}

/**
 * Extends the next batch of a list and removes it from the list in the same transaction, so that each subscriber is
 * extended once. Skips subscribers whose access has ended meanwhile or has no end. Returns whether more may be left;
 * false also while another process works on the list.
 */
async function extendNext(database: Database, id: number): Promise<boolean> {
  return database.transaction(async (tx) => {
    const batch = await lockExtensionBatch<Actor>(tx, id, AT_ONCE);
    if (!batch) return false;
    const { days, next, nSubscribers, actor } = batch;
    const found = await lockExtendableKeys(tx, next);
    const now = await readClock(tx);
    const accesses = await changePaidTime(
      tx,
      found.map(({ keyId }) => keyId),
      now,
      ({ key, access }) => ({
        end: [],
        add: [paidTimeToAdd("extension", access?.planTier ?? key.planTier, now, days * DAY_MS)],
      }),
    );
    await recordAudits(
      tx,
      found.map(({ keyId, subscriptionId, was }) => ({
        actor,
        action: "key.extend",
        target: `key/${keyId}`,
        subscriptionId,
        details: {
          from: was.toISOString(),
          to: (accesses.get(keyId)?.expiresAt ?? was).toISOString(),
          together: nSubscribers,
        },
      })),
    );
    await completeExtensionBatch(tx, id, { nNext: next.length, nExtended: found.length });
    return next.length === AT_ONCE;
  });
}
