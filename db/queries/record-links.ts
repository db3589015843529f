import { eq, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { recordLinks } from "@/db/schema";
import { columns, type Row, timestamp } from "./columns";
import { currentGrantJoin, RECEIVER_COLUMNS } from "./outbound-grants";

/** When the public link to a subscriber's own record was created; null: there is no link. */
export async function findRecordLinkCreatedAt(
  handle: DatabaseHandle,
  subscriptionId: number,
): Promise<Date | null> {
  const [row] = await handle
    .select({ createdAt: recordLinks.createdAt })
    .from(recordLinks)
    .where(eq(recordLinks.subscriptionId, subscriptionId));
  return row?.createdAt ?? null;
}

/** Stores the public link to a subscriber's own record, by the hash of its token. Replaces an earlier link. */
export async function writeRecordLink(
  handle: DatabaseHandle,
  row: { subscriptionId: number; tokenHash: string },
): Promise<void> {
  await handle
    .insert(recordLinks)
    .values(row)
    .onConflictDoUpdate({
      target: recordLinks.subscriptionId,
      set: { tokenHash: row.tokenHash, createdAt: sql`now()` },
    });
}

/** Deletes the public link to a subscriber's own record. Returns whether there was one. */
export async function deleteRecordLink(handle: DatabaseHandle, subscriptionId: number): Promise<boolean> {
  const gone = await handle
    .delete(recordLinks)
    .where(eq(recordLinks.subscriptionId, subscriptionId))
    .returning({ subscriptionId: recordLinks.subscriptionId });
  return gone.length > 0;
}

const SHARED = columns({ ...RECEIVER_COLUMNS, subscribedAt: timestamp("u.created_at") });

/** The subscription of a public link, with its current access; null: no such link. */
export async function findSharedRecord(
  handle: DatabaseHandle,
  tokenHash: string,
): Promise<Row<typeof SHARED> | null> {
  return SHARED.first(
    handle,
    sql`
    select ${SHARED.list} from record_links e
      join subscriptions u on u.id = e.subscription_id
      ${currentGrantJoin()}
     where e.token_hash = ${tokenHash}`,
  );
}
