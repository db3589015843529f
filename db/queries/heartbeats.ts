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
  subscriptionId: number<number | null>("asked.id"),
  lastSeenAt: atOrNull("max(h.last_seen_at)"),
  executions: bigNumber("coalesce(max(e.version), 0)"),
});

/** What an open page of one subscription waits for. */
export interface SubscriptionLive {
  lastSeenAt: Date | null;
  /** Version of its executions; 0 before the first one. */
  executions: number;
}

/** Version of the shared signals, and for each of these subscriptions its last call and its executions, in one statement. */
export async function readLiveState(
  handle: Handle,
  subscriptionIds: readonly number[],
): Promise<{ signals: number; subscriptions: Map<number, SubscriptionLive> }> {
  const rows = await LIVE.all(
    handle,
    sql`
    select ${LIVE.list}
      from state_versions v
      left join (select value::int as id
                   from jsonb_array_elements_text(${JSON.stringify(subscriptionIds)}::jsonb) as value) asked on true
      left join key_heartbeats h on h.subscription_id = asked.id
      left join execution_versions e on e.subscription_id = asked.id
     group by v.signals, asked.id`,
  );
  const subscriptions = new Map<number, SubscriptionLive>();
  for (const { subscriptionId, lastSeenAt, executions } of rows) {
    if (subscriptionId !== null) subscriptions.set(subscriptionId, { lastSeenAt, executions });
  }
  return { signals: rows[0]?.signals ?? 0, subscriptions };
}
