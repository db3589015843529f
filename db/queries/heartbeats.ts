import { desc, eq, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { keyHeartbeats } from "@/db/schema";
import { atOrNull, bigNumber, columns, number } from "./columns";

export interface HeartbeatRow {
  keyId: number;
  subscriptionId: number;
  lastSeenAt: Date;
  client: string | null;
  address: string | null;
  nCalls: number;
}

/** Moves heartbeats forward in one statement; a time never goes back. Sorted, so that two instances never deadlock. */
export async function writeHeartbeats(handle: Handle, beats: HeartbeatRow[]): Promise<void> {
  const sorted = beats.toSorted((a, b) => a.keyId - b.keyId);
  await handle.execute(sql`
    insert into key_heartbeats as h (key_id, subscription_id, last_seen_at, client, address, n_calls)
    select * from jsonb_to_recordset(${JSON.stringify(
      sorted.map((beat) => ({
        key_id: beat.keyId,
        subscription_id: beat.subscriptionId,
        last_seen_at: beat.lastSeenAt.toISOString(),
        client: beat.client,
        address: beat.address,
        n_calls: beat.nCalls,
      })),
    )}::jsonb) as beat(key_id int, subscription_id int, last_seen_at timestamptz, client text, address text, n_calls bigint)
    order by key_id
    on conflict (key_id) do update set
      last_seen_at = greatest(h.last_seen_at, excluded.last_seen_at),
      client = coalesce(excluded.client, h.client),
      address = coalesce(excluded.address, h.address),
      n_calls = h.n_calls + excluded.n_calls`);
}

/** When the subscription was last heard of through any of its keys. */
export async function findHeartbeat(handle: Handle, subscriptionId: number) {
  const [row] = await handle
    .select({
      lastSeenAt: keyHeartbeats.lastSeenAt,
      client: keyHeartbeats.client,
      address: keyHeartbeats.address,
    })
    .from(keyHeartbeats)
    .where(eq(keyHeartbeats.subscriptionId, subscriptionId))
    .orderBy(desc(keyHeartbeats.lastSeenAt))
    .limit(1);
  return row ?? null;
}

const LIVE = columns({
  signals: bigNumber("v.signals"),
  subscriptionId: number<number | null>("h.subscription_id"),
  lastSeenAt: atOrNull("max(h.last_seen_at)"),
});

/** Version of the shared signals and when each of these subscriptions last called, in one statement. */
export async function readLiveState(
  handle: Handle,
  subscriptionIds: readonly number[],
): Promise<{ signals: number; lastSeenAt: Map<number, Date> }> {
  const rows = await LIVE.all(
    handle,
    sql`
    select ${LIVE.list}
      from state_versions v
      left join key_heartbeats h
        on h.subscription_id in (select value::int from jsonb_array_elements_text(${JSON.stringify(subscriptionIds)}::jsonb) as value)
     group by v.signals, h.subscription_id`,
  );
  const lastSeenAt = new Map<number, Date>();
  for (const row of rows) {
    if (row.subscriptionId !== null && row.lastSeenAt !== null)
      lastSeenAt.set(row.subscriptionId, row.lastSeenAt);
  }
  return { signals: rows[0]?.signals ?? 0, lastSeenAt };
}
