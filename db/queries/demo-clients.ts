import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { columns, number, type Row } from "./columns";
import { isInForce, keysAs } from "./key-state";

/** What marks a subscription whose trading client is simulated. */
export const DEMO_NOTES = "Simulated client of the simulated market.";
/** Number of the oldest and of the newest subscriptions that are searched for demo clients. */
const LOOKED_THROUGH = 1_000;
const FIRST = 10;

const CLIENT = columns({ subscriptionId: number("s.id"), keyId: number("k.id") });
/** A subscription whose trading client is simulated, with the key that the client calls with. */
export type DemoClient = Row<typeof CLIENT>;

/** The simulated clients whose key works, oldest first: two stretches of the primary key. */
export async function listDemoClients(handle: Handle): Promise<DemoClient[]> {
  return CLIENT.all(
    handle,
    sql`select ${CLIENT.list}
          from (select id, notes from (select id, notes from subscriptions order by id desc limit ${LOOKED_THROUGH}) newest
                union
                select id, notes from (select id, notes from subscriptions order by id limit ${FIRST}) oldest) s
          join lateral (
            select k.id from api_keys k
             where k.subscription_id = s.id and ${isInForce(keysAs("k"))} order by k.id desc limit 1) k on true
         where s.notes = ${DEMO_NOTES}
         order by s.id`,
  );
}

/** Writes in which spans of the last day a simulated client called: as many characters as are kept, oldest first. */
export async function writeDayOfCalls(
  handle: Handle,
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
