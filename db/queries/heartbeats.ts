import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { columns, type Row, text, timestamp } from "./columns";
import { wasRotated } from "./key-state";
import { array } from "./parameters";

/** Length of a span. A key's heartbeat records for each span of the last day whether a call came. */
export const HEARTBEAT_SPAN_SECONDS = 600;
/** Number of spans that a heartbeat records: one day. */
export const HEARTBEAT_SPANS_PER_DAY = 144;

/** Calls with a key since its heartbeat was last written. */
export interface HeartbeatRow {
  keyId: number;
  subscriptionId: number;
  lastSeenAt: Date;
  client: string | null;
  address: string | null;
  nCalls: number;
}

/**
 * Updates the heartbeats of keys in one statement; `last_seen_at` never moves back. The rows are sorted, so that two
 * replicas never deadlock, and passed as arrays, which take the database half as long as JSON.
 */
export async function writeHeartbeats(handle: DatabaseHandle, beats: HeartbeatRow[]): Promise<void> {
  const sorted = beats.toSorted((a, b) => a.keyId - b.keyId);
  const of = (name: Exclude<keyof HeartbeatRow, "lastSeenAt">) => sorted.map((beat) => beat[name]);
  await handle.execute(sql`
    insert into key_heartbeats as h (key_id, subscription_id, last_seen_at, client, address, n_calls, seen)
    select key_id, subscription_id, to_timestamp(seen_ms / 1000), client, address, n_calls, 1::bit(144)
      from unnest(${array(of("keyId"), "int")}, ${array(of("subscriptionId"), "int")},
                  ${array(
                    sorted.map((beat) => beat.lastSeenAt.getTime()),
                    "float8",
                  )}, ${array(of("client"), "text")}, ${array(of("address"), "text")}, ${array(of("nCalls"), "bigint")})
           as beat(key_id, subscription_id, seen_ms, client, address, n_calls)
    order by key_id
    on conflict (key_id) do update set
      last_seen_at = greatest(h.last_seen_at, excluded.last_seen_at),
      client = coalesce(excluded.client, h.client),
      address = coalesce(excluded.address, h.address),
      n_calls = h.n_calls + excluded.n_calls,
      seen = case when excluded.last_seen_at >= h.last_seen_at
                  then (h.seen << ${spansBetween(sql`h.last_seen_at`, sql`excluded.last_seen_at`)}) | excluded.seen
                  else h.seen | (excluded.seen << ${spansBetween(sql`excluded.last_seen_at`, sql`h.last_seen_at`)}) end`);
}

/** Number of ten-minute spans between two instants, at most HEARTBEAT_SPANS_PER_DAY. */
const spansBetween = (from: SQL, to: SQL): SQL =>
  sql`least(${HEARTBEAT_SPANS_PER_DAY}, (floor(extract(epoch from ${to}) / ${HEARTBEAT_SPAN_SECONDS}) - floor(extract(epoch from ${from}) / ${HEARTBEAT_SPAN_SECONDS}))::int)`;

const SEEN = columns({ lastSeenAt: timestamp("h.last_seen_at"), spans: text("h.seen::text") });
/** Time of a key's last call, and the 144 spans up to it: one character each, oldest first, `1` if a call came. */
export type KeyCallSpans = Row<typeof SEEN>;

/** The recorded spans of each key of a subscription that was used in the last 24 hours. */
export async function listKeyCallSpans(
  handle: DatabaseHandle,
  subscriptionId: number,
): Promise<KeyCallSpans[]> {
  return SEEN.all(
    handle,
    sql`select ${SEEN.list} from key_heartbeats h
         where h.subscription_id = ${subscriptionId} and h.last_seen_at > now() - interval '1 day'`,
  );
}

/** SQL condition: the key of the heartbeat `h` was not rotated. A new key counts as unused until it is used itself. */
export const IS_OF_PRESENT_KEY = sql.raw(`not ${wasRotated("h.key_id")}`);

const LAST = columns({
  lastSeenAt: timestamp("h.last_seen_at"),
  client: text<string | null>("h.client"),
  address: text<string | null>("h.address"),
});

/**
 * Time of the last call with a key of a subscription that was not rotated, and the client and network address of a recent
 * call with this key; null: none.
 */
export async function findHeartbeat(
  handle: DatabaseHandle,
  subscriptionId: number,
): Promise<Row<typeof LAST> | null> {
  const [row] = await LAST.all(
    handle,
    sql`select ${LAST.list} from key_heartbeats h
         where h.subscription_id = ${subscriptionId} and ${IS_OF_PRESENT_KEY}
         order by h.last_seen_at desc limit 1`,
  );
  return row ?? null;
}
