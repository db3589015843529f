import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { columns, number, type Row } from "./columns";
import { isInForce, keyColumnsAs } from "./key-state";

/** Text in the notes of a subscription that marks it as one with a simulated trading client. */
export const DEMO_NOTES = "Simulated client of the simulated market.";
/** Numbers of newest and of oldest subscriptions that are searched for simulated clients. */
const LOOKED_THROUGH = 1_000;
const FIRST = 10;

const CLIENT = columns({ subscriptionId: number("s.id"), keyId: number("k.id") });
/** A subscription with a simulated trading client, and the client's key. */
export type DemoClient = Row<typeof CLIENT>;

/** The simulated clients with a working key among the 1,000 newest and 10 oldest subscriptions, oldest subscription first. */
export async function listDemoClients(handle: DatabaseHandle): Promise<DemoClient[]> {
  return CLIENT.all(
    handle,
    sql`select ${CLIENT.list}
          from (select id, notes from (select id, notes from subscriptions order by id desc limit ${LOOKED_THROUGH}) newest
                union
                select id, notes from (select id, notes from subscriptions order by id limit ${FIRST}) oldest) s
          join lateral (
            select k.id from api_keys k
             where k.subscription_id = s.id and ${isInForce(keyColumnsAs("k"))} order by k.id desc limit 1) k on true
         where s.notes = ${DEMO_NOTES}
         order by s.id`,
  );
}

/**
 * Stores a heartbeat of a simulated client's key, unless the key has one. `spans`: the 144 ten-minute spans up to
 * `lastSeenAt`, one digit each, oldest first, `1` if a call came.
 */
export async function insertDemoHeartbeat(
  handle: DatabaseHandle,
  {
    keyId,
    subscriptionId,
    lastSeenAt,
    client,
    spans,
  }: DemoClient & { lastSeenAt: Date; client: string; spans: string },
): Promise<void> {
  await handle.execute(sql`
    insert into key_heartbeats as h (key_id, subscription_id, last_seen_at, client, n_calls, seen)
    values (${keyId}, ${subscriptionId}, ${lastSeenAt.toISOString()}::timestamptz, ${client}, 1, ${spans}::bit(144))
    on conflict (key_id) do nothing`);
}
