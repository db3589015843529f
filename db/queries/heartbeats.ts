import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";

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
