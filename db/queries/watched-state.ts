import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { columns, json, safeInteger, text, timestamp } from "./columns";
import { IS_OF_PRESENT_KEY } from "./heartbeats";
import { isInForce, keyColumnsAs } from "./key-state";
import type { StateVersions } from "./keys";
import { array } from "./parameters";

/** The keys of open requests that wait for changes, and the subscriptions with an open portal page. */
export interface WatchedIds {
  keyIds: readonly number[];
  subscriptionIds: readonly number[];
}

export interface WatchedState {
  /** Time of the snapshot, by the database's clock. */
  at: Date;
  versions: StateVersions;
  /** The revision of each key, in the order of `keyIds`; an empty string if the key does not work now or has no row. */
  revisions: string[];
  subscriptions: Map<number, SubscriptionLiveState>;
}

export interface SubscriptionLiveState {
  /** Time of the last stored call with a key of the subscription that was not rotated. */
  lastSeenAt: Date | null;
  /** Version of the subscription's executions, which increases with each change; 0: no executions yet. */
  executions: number;
}

interface SubscriptionRow {
  id: number;
  lastSeenMs: number | null;
  executions: number;
}

const CHANGES = columns({
  at: timestamp("now()"),
  signals: safeInteger("v.signals"),
  models: safeInteger("v.models"),
  outcomes: safeInteger("v.outcomes"),
  lastSeq: safeInteger("v.last_seq"),
  revisions: text("coalesce(watched.revisions, '')"),
  subscriptions: json<SubscriptionRow[]>("live.subscriptions"),
});

/**
 * The versions of signals, models and outcomes, and the state of these keys and subscriptions, from one snapshot. A key's
 * revision consists of the id of the transaction that wrote its row and the location of the row in the table.
 */
export async function readWatchedState(
  handle: DatabaseHandle,
  { keyIds, subscriptionIds }: WatchedIds,
): Promise<WatchedState> {
  const row = await CHANGES.one(
    handle,
    sql`
    select ${CHANGES.list}
      from state_versions v,
           lateral (select string_agg(coalesce(case when ${isInForce(keyColumnsAs("k"))} then k.xmin::text || k.ctid::text end, ''), ' ' order by w.n) as revisions
                      from unnest(${array(keyIds, "int")}) with ordinality as w(id, n)
                      left join api_keys k on k.id = w.id) watched,
           lateral (select coalesce(jsonb_agg(jsonb_build_object(
                             'id', s.id,
                             'lastSeenMs', (select floor(date_part('epoch', max(h.last_seen_at)) * 1000)
                                              from key_heartbeats h where h.subscription_id = s.id and ${IS_OF_PRESENT_KEY}),
                             'executions', coalesce(e.version, 0))), '[]') as subscriptions
                      from unnest(${array(subscriptionIds, "int")}) as s(id)
                      left join execution_versions e on e.subscription_id = s.id) live`,
  );
  const { at: readAt, revisions, subscriptions, ...versions } = row;
  return {
    at: readAt,
    versions,
    revisions: revisions.split(" "),
    subscriptions: new Map(
      subscriptions.map(({ id, lastSeenMs, executions }) => [
        id,
        { lastSeenAt: lastSeenMs === null ? null : new Date(lastSeenMs), executions },
      ]),
    ),
  };
}
