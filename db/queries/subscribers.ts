import { desc, eq, type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { apiKeys, keyHeartbeats, subscriptions } from "@/db/schema";
import type { AccessState, EaStateName, PlanTier } from "@/lib/vocabulary";
import { columns, json, number, type Row, text, textArray, timestamp, timestampOrNull } from "./columns";
import { findHeartbeat } from "./heartbeats";
import {
  accessStateOf,
  clientStateConditions,
  concurrentPlans,
  holdsPlan,
  isInForce,
  keyColumnsAs,
  planInForce,
} from "./key-state";
import { array, foldedColumnContains } from "./parameters";

export interface SubscriberFilter {
  /** Part of a subscriber's name, address or notes, or of a key's hint. */
  q?: string | undefined;
  plan?: PlanTier | undefined;
  state?: AccessState | undefined;
  /** Only subscribers whose access ends within this number of days. */
  expiringDays?: number | undefined;
  /** State of the trading client; `silent`: any state but online. */
  ea?: EaStateName | "silent" | undefined;
  /** true: only subscribers whose newest key is a try-out; false: only the others. */
  tryOut?: boolean | undefined;
  /** Only these subscriptions, for example those selected in a list. */
  ids?: readonly number[] | undefined;
}

export type SubscriberOrder = "newest" | "expiry" | "seen" | "name";

/** SQL: the access state of the joined newest key `k`, by the database's clock. */
const STATE = accessStateOf(keyColumnsAs("k"));
const CLIENT = clientStateConditions(sql`h.last_seen_at`);

/** SQL: the newest key of each subscription. */
const NEWEST_KEYS = sql`(
  select distinct on (subscription_id) id, subscription_id, hint, plan_tier, stretches, expires_at, revoked_at, rotated_at,
         suspended_at, delay_candles
    from api_keys order by subscription_id, id desc)`;

/**
 * FROM clause: all subscribers with their newest key and last call. `condition` excludes row 0, the installation's owner.
 * Takes 25 ms for 10,000 subscribers with 12,000 keys, by two hash joins of small tables.
 */
const FROM = sql`from subscriptions s
  left join ${NEWEST_KEYS} k on k.subscription_id = s.id
  left join (select subscription_id, max(last_seen_at) as last_seen_at from key_heartbeats group by 1) h
    on h.subscription_id = s.id`;

/** The same FROM clause with one index look-up per subscriber, for results that are one page of the subscriptions. */
const FROM_EACH = sql`from subscriptions s
  left join lateral (select id, hint, plan_tier, stretches, expires_at, revoked_at, rotated_at, suspended_at,
                           delay_candles
                       from api_keys where subscription_id = s.id order by id desc limit 1) k on true
  left join lateral (select max(last_seen_at) as last_seen_at from key_heartbeats where subscription_id = s.id) h on true`;

const OWN_ORDERS: ReadonlySet<SubscriberOrder> = new Set(["newest", "name"]);

/** Whether a filter needs neither the newest key nor the last call of a subscriber. */
const isOfPeople = ({ plan, state, expiringDays, ea, tryOut }: SubscriberFilter): boolean =>
  [plan, state, expiringDays, ea, tryOut].every((wanted) => wanted === undefined);

/** Whether filter and order need neither key nor last call, so that a query reads these only for one page of subscribers. */
const readsOnePage = (filter: SubscriberFilter, order: SubscriberOrder): boolean =>
  OWN_ORDERS.has(order) && isOfPeople(filter);

const ORDER: Record<SubscriberOrder, SQL> = {
  newest: sql`s.id desc`,
  expiry: sql`k.expires_at asc nulls last, s.id desc`,
  seen: sql`h.last_seen_at desc nulls last, s.id desc`,
  name: sql`lower(s.user_name), s.id desc`,
};

function condition(filter: SubscriberFilter): SQL {
  const parts: SQL[] = [sql`s.id <> 0`];
  // Hints are not folded, because they contain only lower-case letters, digits and asterisks.
  if (filter.q)
    parts.push(sql`(${foldedColumnContains("s.search_text", filter.q)}
      or s.id in (select subscription_id from api_keys any_key where ${foldedColumnContains("any_key.hint", filter.q)}))`);
  if (filter.ids) parts.push(sql`s.id = any(${array(filter.ids, "int")})`);
  if (filter.plan) parts.push(holdsPlan(filter.plan, keyColumnsAs("k")));
  if (filter.tryOut !== undefined) parts.push(sql`(k.delay_candles is not null) = ${filter.tryOut}`);
  if (filter.state) parts.push(sql`${STATE} = ${filter.state}`);
  if (filter.expiringDays !== undefined)
    parts.push(
      sql`${STATE} = 'active' and k.expires_at <= now() + make_interval(days => ${filter.expiringDays})`,
    );
  if (filter.ea === "silent") parts.push(sql`(${CLIENT.never} or not (${CLIENT.online}))`);
  else if (filter.ea) parts.push(CLIENT[filter.ea]);
  return sql.join(parts, sql` and `);
}

const SUBSCRIBER = columns({
  subscriptionId: number("s.id"),
  userName: text("s.user_name"),
  email: text<string | null>("s.email"),
  createdAt: timestamp("s.created_at"),
  keyId: number<number | null>("k.id"),
  hint: text<string | null>("k.hint"),
  planTier: text<PlanTier | null>(planInForce(keyColumnsAs("k"))),
  expiresAt: timestampOrNull("k.expires_at"),
  /** Delay of a try-out key, in candles; null: not a try-out. */
  delayCandles: number<number | null>("k.delay_candles"),
  state: text<AccessState>(STATE),
  lastSeenAt: timestampOrNull("h.last_seen_at"),
});
export type SubscriberRow = Row<typeof SUBSCRIBER>;

/** A page of the filtered subscribers with their newest key and last call. */
export async function listSubscribers(
  handle: DatabaseHandle,
  query: { filter: SubscriberFilter; order: SubscriberOrder; limit: number; offset: number },
): Promise<SubscriberRow[]> {
  const { filter, order, limit, offset } = query;
  // The page comes first, so that the other subscribers cost neither look-ups nor wide rows in the sort.
  return SUBSCRIBER.all(
    handle,
    sql`
    with page as (
      select s.id ${readsOnePage(filter, order) ? sql`from subscriptions s` : FROM}
       where ${condition(filter)} order by ${ORDER[order]} limit ${limit} offset ${offset})
    select ${SUBSCRIBER.list} ${FROM_EACH} where s.id in (select id from page) order by ${ORDER[order]}`,
  );
}

/** Number of filtered subscribers. */
export async function countSubscribers(handle: DatabaseHandle, filter: SubscriberFilter): Promise<number> {
  const [row] = await handle.execute<{ n: number }>(
    sql`select count(*)::int as n ${isOfPeople(filter) ? sql`from subscriptions s` : FROM} where ${condition(filter)}`,
  );
  return row?.n ?? 0;
}

/** SQL: the newest key of each filtered subscriber, if it is in one of these states, with its time of suspension. */
export const matchingSubscriberKeys = (filter: SubscriberFilter, states: readonly AccessState[]): SQL =>
  sql`select k.id as key_id, k.suspended_at, ${STATE} as state ${FROM} where ${condition(filter)} and ${STATE} in (${sql.join(
    states.map((state) => sql`${state}`),
    sql`, `,
  )})`;

/** SQL condition: a filtered subscriber whose access works and has an end, so that a bulk extension can extend it. */
const extendable = (filter: SubscriberFilter) =>
  sql`${condition(filter)} and ${STATE} = 'active' and k.expires_at is not null`;

/** Number of filtered subscribers whose access works and has an end, so that a bulk extension would extend it. */
export async function countExtendable(handle: DatabaseHandle, filter: SubscriberFilter): Promise<number> {
  const [row] = await handle.execute<{ n: number }>(
    sql`select count(*)::int as n ${FROM} where ${extendable(filter)}`,
  );
  return row?.n ?? 0;
}

const EXTENDABLE = columns({
  keyId: number("o.id"),
  subscriptionId: number("o.subscription_id"),
  was: timestamp("o.expires_at"),
});

/** SQL: the subscription ids of the filtered subscribers whose access works and has an end. */
export const extendableSubscribers = (filter: SubscriberFilter): SQL =>
  sql`select s.id ${filter.ids === undefined ? FROM : FROM_EACH} where ${extendable(filter)}`;

/** The newest keys of these subscribers, if they work and have an end, locked until commit. */
export async function lockExtendableKeys(
  tx: Transaction,
  ids: readonly number[],
): Promise<Row<typeof EXTENDABLE>[]> {
  return EXTENDABLE.all(
    tx,
    sql`
    select ${EXTENDABLE.list} from api_keys o
     where o.id in (select k.id ${FROM_EACH} where ${extendable({ ids })})
     order by o.id for update of o`,
  );
}

const countWhere = (condition: SQL) => number(sql`count(*) filter (where ${condition})::int`);

const BY_NEWEST_KEY = clientStateConditions(sql`k.last_seen_at`);
const CLIENTS = columns({
  total: number("count(*)::int"),
  online: countWhere(BY_NEWEST_KEY.online),
  delayed: countWhere(BY_NEWEST_KEY.delayed),
  offline: countWhere(BY_NEWEST_KEY.offline),
  never: countWhere(BY_NEWEST_KEY.never),
  /** Number of subscribers whose working access ends within seven days. */
  expiringSoon: number("count(*) filter (where k.expires_at <= now() + interval '7 days')::int"),
});
export type ClientCounts = Row<typeof CLIENTS>;

/**
 * Number of subscribers whose newest key works and is no try-out, by the state of their trading client. Joins only on
 * indexed columns, so that no query plan is slow, even with outdated statistics.
 */
export async function countClients(handle: DatabaseHandle): Promise<ClientCounts> {
  return CLIENTS.one(
    handle,
    sql`
    select ${CLIENTS.list}
      from (select k.id, k.expires_at, max(h.last_seen_at) as last_seen_at
              from api_keys k left join key_heartbeats h on h.subscription_id = k.subscription_id
             where ${isInForce(keyColumnsAs("k"))} and k.subscription_id <> 0 and k.delay_candles is null
               and not exists (
                 select 1 from api_keys newer where newer.subscription_id = k.subscription_id and newer.id > k.id)
             group by k.id) k`,
  );
}

const GRANTED = columns({
  planTier: text<PlanTier>("g.plan_tier"),
  plans: json<PlanTier[] | null>("g.plans"),
  symbolsAllowed: textArray<string[] | null>("g.symbols_allowed"),
  tfsAllowed: textArray<string[] | null>("g.tfs_allowed"),
  subscribers: number("count(*)::int"),
  /** Number of these subscribers whose trading client is online. */
  online: countWhere(CLIENT.online),
});
export type GrantCount = Row<typeof GRANTED>;

/** Number of subscribers with a working key that is no try-out, by plans and allowed slots of the newest such key. */
export async function countSubscribersByGrant(handle: DatabaseHandle): Promise<GrantCount[]> {
  const key = keyColumnsAs("k");
  return GRANTED.all(
    handle,
    sql`
    select ${GRANTED.list}
      from (select distinct on (k.subscription_id) k.subscription_id, ${planInForce(key)} as plan_tier,
                   ${concurrentPlans(key)} as plans, k.symbols_allowed, k.tfs_allowed
              from api_keys k where ${isInForce(key)} and k.subscription_id <> 0 and k.delay_candles is null
             order by k.subscription_id, k.id desc) g
      left join lateral (select max(last_seen_at) as last_seen_at from key_heartbeats
                          where subscription_id = g.subscription_id) h on true
     group by g.plan_tier, g.plans, g.symbols_allowed, g.tfs_allowed`,
  );
}

/** A subscriber with up to 100 keys, newest first and without hashes, and the last call; null: unknown. */
export async function findSubscriberWithKeys(handle: DatabaseHandle, subscriptionId: number) {
  const [[subscription], keys, heartbeat] = await Promise.all([
    handle.select().from(subscriptions).where(eq(subscriptions.id, subscriptionId)),
    handle
      .select({
        keyId: apiKeys.id,
        hint: apiKeys.hint,
        planTier: planInForce(),
        stretches: apiKeys.stretches,
        expiresAt: apiKeys.expiresAt,
        symbolsAllowed: apiKeys.symbolsAllowed,
        tfsAllowed: apiKeys.tfsAllowed,
        rateLimitPerMin: apiKeys.rateLimitPerMin,
        revokedAt: apiKeys.revokedAt,
        rotatedAt: apiKeys.rotatedAt,
        suspendedAt: apiKeys.suspendedAt,
        delayCandles: apiKeys.delayCandles,
        createdAt: apiKeys.createdAt,
        lastSeenAt: keyHeartbeats.lastSeenAt,
        nCalls: keyHeartbeats.nCalls,
      })
      .from(apiKeys)
      .leftJoin(keyHeartbeats, eq(keyHeartbeats.keyId, apiKeys.id))
      .where(eq(apiKeys.subscriptionId, subscriptionId))
      .orderBy(desc(apiKeys.id))
      .limit(100),
    findHeartbeat(handle, subscriptionId),
  ]);
  return subscription ? { subscription, keys, heartbeat } : null;
}

export type SubscriberWithKeys = NonNullable<Awaited<ReturnType<typeof findSubscriberWithKeys>>>;
export type SubscriberKey = SubscriberWithKeys["keys"][number];
