import { asc, desc, eq, isNull, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { bulkExtensions } from "@/db/schema";
import { extendableSubscribers, type SubscriberFilter } from "./subscribers";

/**
 * Stores an extension by `days` for all filtered subscribers whose access works and has an end date. Returns its id, or
 * null if their number differs from `shown`, the number in the preview, or if this form (`formId`) was submitted before.
 */
export async function insertBulkExtension(
  handle: DatabaseHandle,
  wanted: {
    formId: string;
    filter: SubscriberFilter;
    days: number;
    shown: number;
    actor: Record<string, unknown>;
  },
): Promise<number | null> {
  const [row] = await handle.execute<{ id: number }>(sql`
    insert into bulk_extensions (form_id, days, actor, n_subscribers, remaining)
    select ${wanted.formId}, ${wanted.days}::int, ${JSON.stringify(wanted.actor)}::jsonb, count(*)::int,
           coalesce(array_agg(found.id order by found.id), '{}')
      from (${extendableSubscribers(wanted.filter)}) found
    having count(*) = ${wanted.shown}::int
        on conflict (form_id) do nothing
    returning id`);
  return row?.id ?? null;
}

/**
 * Locks an extension until commit and returns the ids of its next subscriptions (`next`), at most `max`. Null if it is
 * finished or another process has locked it. `Actor` is the type of the `actor` that insertBulkExtension was given.
 */
export async function lockExtensionBatch<Actor>(tx: Transaction, id: number, max: number) {
  const [row] = await tx
    .select({
      days: bulkExtensions.days,
      nSubscribers: bulkExtensions.nSubscribers,
      actor: sql<Actor>`${bulkExtensions.actor}`,
      next: sql<number[]>`${bulkExtensions.remaining}[1:${max}::int]`,
    })
    .from(bulkExtensions)
    .where(sql`${bulkExtensions.id} = ${id} and ${bulkExtensions.finishedAt} is null`)
    .for("update", { skipLocked: true });
  return row ?? null;
}

/**
 * Removes the next `nNext` subscriptions of an extension, which have been processed, and adds `nExtended` to the number of
 * extended ones. The extension is finished once no subscription remains.
 */
export async function completeExtensionBatch(
  tx: Transaction,
  id: number,
  { nNext, nExtended }: { nNext: number; nExtended: number },
): Promise<void> {
  await tx.execute(sql`
    update bulk_extensions
       set remaining = remaining[${nNext}::int + 1:], n_extended = n_extended + ${nExtended}::int,
           finished_at = case when cardinality(remaining) <= ${nNext}::int then now() end
     where id = ${id}`);
}

export async function listUnfinishedExtensions(handle: DatabaseHandle): Promise<number[]> {
  const rows = await handle
    .select({ id: bulkExtensions.id })
    .from(bulkExtensions)
    .where(isNull(bulkExtensions.finishedAt))
    .orderBy(asc(bulkExtensions.id));
  return rows.map(({ id }) => id);
}

const PROGRESS = {
  id: bulkExtensions.id,
  days: bulkExtensions.days,
  nSubscribers: bulkExtensions.nSubscribers,
  nExtended: bulkExtensions.nExtended,
  nRemaining: sql<number>`cardinality(${bulkExtensions.remaining})`,
  createdAt: bulkExtensions.createdAt,
  finishedAt: bulkExtensions.finishedAt,
};

/** Progress of the extension that was stored for a form; null: none. */
export async function findBulkExtensionByForm(handle: DatabaseHandle, formId: string) {
  const [row] = await handle.select(PROGRESS).from(bulkExtensions).where(eq(bulkExtensions.formId, formId));
  return row ?? null;
}

/** The newest extensions with their progress. */
export async function listBulkExtensions(handle: DatabaseHandle, limit: number) {
  return handle.select(PROGRESS).from(bulkExtensions).orderBy(desc(bulkExtensions.createdAt)).limit(limit);
}

export type BulkExtension = NonNullable<Awaited<ReturnType<typeof findBulkExtensionByForm>>>;
