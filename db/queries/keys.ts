import { and, or, type SQL, sql } from "drizzle-orm";
import type postgres from "postgres";
import type { DatabaseHandle } from "@/db/client";
import { apiKeys, type PlanInterval, stateVersions, subscriptions } from "@/db/schema";
import { CLOSE_ONLY_HOURS, type KeyState, type PlanTier } from "@/lib/vocabulary";
import {
  boolean,
  columns,
  json,
  number,
  type Row,
  text,
  textArray,
  timestamp,
  timestampOrNull,
} from "./columns";
import type { ExportPage } from "./export-pages";
import {
  concurrentPlans,
  holdsPlan,
  isNeitherRevokedNorRotated,
  keyColumnsAs,
  planInForce,
} from "./key-state";
import { array, foldedColumnContains } from "./parameters";
import type { ActiveSubscriberPause } from "./subscriber-pauses";

export interface KeyLookup {
  /** Time of the snapshot, by the database's clock. */
  at: Date;
  versions: StateVersions;
  keys: Map<string, FoundKey>;
}

/** Versions that increase with each change of the state that all subscribers share. */
export interface StateVersions {
  signals: number;
  models: number;
  outcomes: number;
  /** Sequence number of the signal that was committed last. */
  lastSeq: number;
}

export interface FoundKey {
  keyId: number;
  subscriptionId: number;
  planTier: PlanTier;
  /** All plans in force now, the highest first; null: only `planTier`. */
  plans: PlanTier[] | null;
  /** When the plans in force change according to the stored intervals; null: not before the key expires. */
  plansUntil: Date | null;
  expiresAt: Date | null;
  suspendedAt: Date | null;
  symbolsAllowed: string[] | null;
  tfsAllowed: string[] | null;
  rateLimitPerMin: number | null;
  /** Set for a try-out key: signals are visible this many candles after their candle closed; null: at once. */
  delayCandles: number | null;
  createdAt: Date;
  /**
   * State by the database's clock. `closing` and `suspended-closing`: expired or suspended less than CLOSE_ONLY_HOURS
   * ago, so reports of closed positions are still accepted.
   */
  state: KeyState;
  /** A text that differs after every update of the key's row. */
  revision: string;
  /** Slots that the subscriber paused for their own clients; null: none. */
  held: ActiveSubscriberPause[] | null;
}

/**
 * Finds many keys by their hashes in one statement, with the versions of the shared state from the same snapshot. Uses
 * the driver directly: every request with a key needs it, and drizzle would build the query each time.
 */
export async function findKeysByHash(client: postgres.Sql, hashes: string[]): Promise<KeyLookup> {
  const rows = await client<LookupRow[]>`
    select v.signals, v.models, v.outcomes, v.last_seq, date_part('epoch', now()) * 1000 as now_ms, null::int as id, null as key_hash,
           null::int as subscription_id, null as plan_tier, null::text[] as symbols_allowed, null::text[] as tfs_allowed,
           null::int as rate_limit_per_min, null::int as delay_candles, null::float8 as expires_ms, null::float8 as suspended_ms,
           null::float8 as created_ms, null as state, null as revision, null::jsonb as stretches, null::jsonb as held
      from state_versions v
    union all
    select null, null, null, null, null, k.id, k.key_hash, k.subscription_id, k.plan_tier, k.symbols_allowed, k.tfs_allowed,
           k.rate_limit_per_min, k.delay_candles, date_part('epoch', k.expires_at) * 1000, date_part('epoch', k.suspended_at) * 1000,
           date_part('epoch', k.created_at) * 1000,
           case when k.revoked_at is not null then 'revoked'
                when k.rotated_at is not null then 'rotated'
                when least(k.expires_at, k.suspended_at) > now() - make_interval(hours => ${CLOSE_ONLY_HOURS}::int)
                 and k.suspended_at is not null then 'suspended-closing'
                when k.suspended_at is not null then 'suspended'
                when k.expires_at > now() or k.expires_at is null then 'live'
                when k.expires_at > now() - make_interval(hours => ${CLOSE_ONLY_HOURS}::int) then 'closing'
                else 'expired' end,
           k.xmin::text || k.ctid::text, k.stretches,
           (select jsonb_agg(jsonb_build_object('symbol', p.symbol, 'timeframe', p.timeframe,
                                                'sinceMs', floor(date_part('epoch', p.started_at) * 1000))
                             order by p.symbol nulls first, p.timeframe)
              from own_pauses p where p.subscription_id = k.subscription_id and p.ended_at is null)
      from api_keys k where k.key_hash = any(${hashes}::text[])`;
  let shared: SharedRow | null = null;
  const nowMs = Number(rows.find(({ key_hash }) => key_hash === null)?.now_ms);
  const keys = new Map<string, FoundKey>();
  for (const row of rows) {
    if (row.key_hash === null) {
      shared = row;
      continue;
    }
    // Few keys have consecutive or concurrent plans.
    const stretch = row.stretches === null ? null : stretchAt(row.stretches, nowMs);
    keys.set(row.key_hash, {
      keyId: row.id,
      subscriptionId: row.subscription_id,
      planTier: stretch?.plans[0] ?? row.plan_tier,
      plans: stretch?.plans ?? null,
      plansUntil: stretch?.until ? new Date(stretch.until) : null,
      expiresAt: row.expires_ms === null ? null : new Date(row.expires_ms),
      suspendedAt: row.suspended_ms === null ? null : new Date(row.suspended_ms),
      symbolsAllowed: row.symbols_allowed,
      tfsAllowed: row.tfs_allowed,
      rateLimitPerMin: row.rate_limit_per_min,
      delayCandles: row.delay_candles,
      createdAt: new Date(row.created_ms),
      state: row.state,
      revision: row.revision,
      held: row.held,
    });
  }
  if (shared === null) throw new Error("state_versions has no row");
  return {
    at: new Date(shared.now_ms),
    versions: {
      signals: Number(shared.signals),
      models: Number(shared.models),
      outcomes: Number(shared.outcomes),
      lastSeq: Number(shared.last_seq),
    },
    keys,
  };
}

/** The stored interval with the plans in force at `ms` (epoch milliseconds); after the end of the last one, the last one. */
function stretchAt(stretches: readonly PlanInterval[], ms: number): PlanInterval | null {
  const isAhead = ({ until }: PlanInterval) => until === null || Date.parse(until) > ms;
  return stretches.find(isAhead) ?? stretches.at(-1) ?? null;
}

/** The versions of the shared state, for callers without a key. */
export async function readStateVersions(handle: DatabaseHandle): Promise<StateVersions> {
  const [row] = await handle.select().from(stateVersions);
  if (!row) throw new Error("state_versions has no row");
  return { signals: row.signals, models: row.models, outcomes: row.outcomes, lastSeq: row.lastSeq };
}

/** The row of a key look-up with the values that are the same for all its keys. */
interface SharedRow {
  key_hash: null;
  now_ms: number;
  signals: string;
  models: string;
  outcomes: string;
  last_seq: string;
}

type LookupRow =
  | SharedRow
  | {
      id: number;
      key_hash: string;
      subscription_id: number;
      plan_tier: FoundKey["planTier"];
      /** Epoch milliseconds: parsing dates would cost more than the rest of the look-up. */
      expires_ms: number | null;
      suspended_ms: number | null;
      created_ms: number;
      symbols_allowed: string[] | null;
      tfs_allowed: string[] | null;
      rate_limit_per_min: number | null;
      delay_candles: number | null;
      state: FoundKey["state"];
      revision: string;
      stretches: PlanInterval[] | null;
      held: ActiveSubscriberPause[] | null;
      now_ms: null;
    };

const CALLER_COLUMNS = {
  keyId: number("k.id"),
  userName: text("s.user_name"),
  planTier: text<PlanTier>(planInForce(keyColumnsAs("k"))),
  symbolsAllowed: textArray<string[] | null>("k.symbols_allowed"),
  tfsAllowed: textArray<string[] | null>("k.tfs_allowed"),
  rateLimitPerMin: number<number | null>("k.rate_limit_per_min"),
  lastSeenAt: timestampOrNull("h.last_seen_at"),
};
const CALLER = columns({
  ...CALLER_COLUMNS,
  /** All plans in force now, the highest first; null: only `planTier`. */
  plans: json<PlanTier[] | null>(concurrentPlans(keyColumnsAs("k"))),
  delayCandles: number<number | null>("k.delay_candles"),
});
const FROM_KEYS = sql`
      from api_keys k
      join subscriptions s on s.id = k.subscription_id
      left join key_heartbeats h on h.key_id = k.id`;

type KeyLastCall = Row<typeof CALLER>;

/** Keys that are neither revoked nor rotated, with scope and last call, newest first. */
export async function listKeyLastCalls(handle: DatabaseHandle): Promise<KeyLastCall[]> {
  return CALLER.all(
    handle,
    sql`
    select ${CALLER.list} ${FROM_KEYS}
     where ${isNeitherRevokedNorRotated(keyColumnsAs("k"))}
     order by k.id desc`,
  );
}

export interface KeyFilter {
  /** true: only keys that were neither revoked nor rotated; false: only the other keys. */
  active?: boolean | undefined;
  planTier?: PlanTier | undefined;
  /** Part of a subscriber's name, address or notes, or of a key's hint. */
  q?: string | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

const KEY_COLUMNS = {
  ...CALLER_COLUMNS,
  email: text<string | null>("s.email"),
  expiresAt: timestampOrNull("k.expires_at"),
  notes: text<string | null>("s.notes"),
  active: boolean(isNeitherRevokedNorRotated(keyColumnsAs("k"))),
  createdAt: timestamp("k.created_at"),
  hint: text("k.hint"),
};
const KEY_RECORD = columns(KEY_COLUMNS);

/** The keys with these ids and their subscribers, newest first, without hashes. */
async function listKeys(handle: DatabaseHandle, ids: readonly number[]): Promise<Row<typeof KEY_RECORD>[]> {
  return KEY_RECORD.all(
    handle,
    sql`
    select ${KEY_RECORD.list} ${FROM_KEYS}
     where k.id = any(${array(ids, "int")})
     order by k.id desc`,
  );
}

function keyCondition(filter: KeyFilter): SQL {
  const conditions: (SQL | undefined)[] = [sql`true`];
  if (filter.active === true) conditions.push(isNeitherRevokedNorRotated());
  if (filter.active === false) conditions.push(sql`not ${isNeitherRevokedNorRotated()}`);
  if (filter.planTier) conditions.push(holdsPlan(filter.planTier));
  if (filter.q)
    conditions.push(
      or(
        foldedColumnContains("subscriptions.search_text", filter.q),
        foldedColumnContains("api_keys.hint", filter.q),
      ),
    );
  return sql`${and(...conditions)}`;
}

const KEYS_PER_PAGE = 2_000;

/** The ids as one array: reading tens of thousands of rows takes ten times as long. */
const FOUND_KEYS = columns({ ids: json<number[]>("coalesce(array_agg(id order by id desc), '{}')") });

/**
 * Number of keys that a filter finds, at most its `limit`, and their records, newest first, in pages of 2,000. All ids are
 * read first, so that a key created meanwhile does not change the list. `handle` is called for each statement.
 */
export async function listKeyPages(handle: () => DatabaseHandle, filter: KeyFilter) {
  const { ids: found } = await FOUND_KEYS.one(
    handle(),
    sql`
    select ${FOUND_KEYS.list}
      from (select api_keys.id from ${apiKeys} join ${subscriptions} on subscriptions.id = api_keys.subscription_id
             where ${keyCondition(filter)}
             order by api_keys.id desc limit ${filter.limit ?? null} offset ${filter.offset ?? 0}) found`,
  );
  async function* pages() {
    for (let from = 0; from < found.length; from += KEYS_PER_PAGE) {
      yield await listKeys(handle(), found.slice(from, from + KEYS_PER_PAGE));
    }
  }
  return { count: found.length, pages: pages() };
}

const EXPORTED = columns({
  subscriptionId: number("k.subscription_id"),
  ...KEY_COLUMNS,
  revokedAt: timestampOrNull("k.revoked_at"),
  rotatedAt: timestampOrNull("k.rotated_at"),
  suspendedAt: timestampOrNull("k.suspended_at"),
});

/** A page of the keys with their subscribers, without hashes, for the operator's export. */
export async function listKeysForExport(
  handle: DatabaseHandle,
  { afterId, limit }: ExportPage,
): Promise<Row<typeof EXPORTED>[]> {
  return EXPORTED.all(
    handle,
    sql`select ${EXPORTED.list} ${FROM_KEYS} where k.id > ${afterId} order by k.id limit ${limit}`,
  );
}
