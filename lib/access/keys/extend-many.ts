import type { Database } from "@/db/client";
import {
  type BulkExtension,
  findBulkExtension,
  insertBulkExtension,
  listUnfinishedExtensions,
  lockNextOfExtension,
  passNextOfExtension,
  readBulkExtension,
} from "@/db/queries/bulk-extensions";
import { readClock } from "@/db/queries/instants";
import { lockExtendable, type SubscriberFilter } from "@/db/queries/subscribers";
import { type Actor, recordAudits } from "@/lib/runtime/audit";
import { DAY_MS } from "@/lib/time";
import { changePaidTime, timeRow } from "./paid-time-of-keys";

/** Subscribers of one transaction: about a quarter of a second, for which their payments wait. */
const AT_ONCE = 1000;

/**
 * Moves the end of access of everyone whom the filter matches, whose access works and who has an end: the first of them at
 * once, the others by the worker. Returns how far it is, or null when they are no longer as many as were shown before it
 * was confirmed: then nothing is changed. A form that was sent before changes nothing more.
 */
export async function extendMany(
  database: Database,
  wanted: { filter: SubscriberFilter; days: number; shown: number; formId: string },
  actor: Actor,
): Promise<BulkExtension | null> {
  const begun = await insertBulkExtension(database, { ...wanted, actor });
  if (begun !== null) await extendNext(database, begun);
  const id = begun ?? (await findBulkExtension(database, wanted.formId));
  return id === null ? null : readBulkExtension(database, id);
}

/** Goes on with what was confirmed and is not finished. */
export async function continueExtensions(database: Database, signal: AbortSignal): Promise<void> {
  for (const id of await listUnfinishedExtensions(database))
    while (!signal.aborted && (await extendNext(database, id)));
}

/**
 * Extends the next subscribers of a list, and notes in the same transaction that they had their turn, so that nobody has
 * two. Whoever has no access by then, or one without an end, is left as they are. False when all had their turn, or another
 * process goes on.
 */
async function extendNext(database: Database, id: number): Promise<boolean> {
  return database.transaction(async (tx) => {
    const batch = await lockNextOfExtension(tx, id, AT_ONCE);
    if (!batch) return false;
    const { days, next, nSubscribers } = batch;
    // Stored as the actor of the form that began it.
    const actor = batch.actor as unknown as Actor;
    const found = await lockExtendable(tx, next);
    const now = await readClock(tx);
    const accesses = await changePaidTime(
      tx,
      found.map(({ keyId }) => keyId),
      now,
      ({ key, access }) => ({
        end: [],
        add: [timeRow("extension", access?.planTier ?? key.planTier, now, days * DAY_MS)],
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
    await passNextOfExtension(tx, id, { nNext: next.length, nExtended: found.length });
    return next.length === AT_ONCE;
  });
}
