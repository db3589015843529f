import { sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import type { Timeframe } from "@/lib/vocabulary";
import { columns, number, type Row, text, timestamp } from "./columns";

/** What a subscriber paused for the subscriber's trading clients: one slot, or every slot (both null). */
export interface SubscriberPauseTarget {
  symbol: string | null;
  timeframe: Timeframe | null;
}

/** A subscriber's active pause, as the key look-up reads it. */
export interface ActiveSubscriberPause extends SubscriberPauseTarget {
  sinceMs: number;
}

const PAUSE = columns({
  id: number("p.id"),
  symbol: text<string | null>("p.symbol"),
  timeframe: text<Timeframe | null>("p.timeframe"),
  startedAt: timestamp("p.started_at"),
});
export type SubscriberPause = Row<typeof PAUSE>;

/** A subscriber's active pauses: first the one of every slot, then by slot. */
export async function listSubscriberPauses(
  handle: DatabaseHandle,
  subscriptionId: number,
): Promise<SubscriberPause[]> {
  const own = sql`p.subscription_id = ${subscriptionId} and p.ended_at is null`;
  return PAUSE.all(
    handle,
    sql`select ${PAUSE.list} from own_pauses p where ${own} order by p.symbol nulls first, p.timeframe`,
  );
}

/** Starts a subscriber's pause. Returns false if this target is paused already. */
export async function insertSubscriberPause(
  tx: Transaction,
  subscriptionId: number,
  { symbol, timeframe }: SubscriberPauseTarget,
): Promise<boolean> {
  const rows = await tx.execute(sql`
    insert into own_pauses (subscription_id, symbol, timeframe, started_at)
    values (${subscriptionId}, ${symbol}, ${timeframe}, clock_timestamp())
    on conflict do nothing returning id`);
  return rows.length > 0;
}

/** Ends a subscriber's active pause by its id. Returns what was paused; null: no such active pause. */
export async function endSubscriberPause(
  tx: Transaction,
  subscriptionId: number,
  id: number,
): Promise<SubscriberPauseTarget | null> {
  const [row] = await tx.execute<{ symbol: string | null; timeframe: Timeframe | null }>(sql`
    update own_pauses set ended_at = clock_timestamp()
     where id = ${id} and subscription_id = ${subscriptionId} and ended_at is null
    returning symbol, timeframe`);
  return row ?? null;
}

/** Rewrites the rows of a subscription's keys, which changes their revision: requests that wait look the keys up again. */
export async function bumpKeyRevisions(tx: Transaction, subscriptionId: number): Promise<void> {
  await tx.execute(sql`
    update api_keys set hint = hint
     where subscription_id = ${subscriptionId} and revoked_at is null and rotated_at is null`);
}
