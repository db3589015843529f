import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { apiKeys } from "@/db/schema";
import { EA_DELAYED_MINUTES, EA_ONLINE_MINUTES, type PlanTier } from "@/lib/vocabulary";

/** The columns of `api_keys` that determine a key's state and plans, of the table itself or of an alias in a statement. */
export interface KeyStateColumns {
  id: SQLWrapper;
  revokedAt: SQLWrapper;
  rotatedAt: SQLWrapper;
  expiresAt: SQLWrapper;
  suspendedAt: SQLWrapper;
  planTier: SQLWrapper;
  stretches: SQLWrapper;
}

/** The columns of `api_keys` under an alias, which must be written in the code, never come from a request. */
export function keyColumnsAs(alias: string): KeyStateColumns {
  const column = (name: string) => sql.raw(`${alias}.${name}`);
  return {
    id: column("id"),
    revokedAt: column("revoked_at"),
    rotatedAt: column("rotated_at"),
    expiresAt: column("expires_at"),
    suspendedAt: column("suspended_at"),
    planTier: column("plan_tier"),
    stretches: column("stretches"),
  };
}

/** SQL condition: the key was neither revoked nor rotated. It may have expired or be suspended. */
export const isNeitherRevokedNorRotated = (key: KeyStateColumns = apiKeys): SQL<boolean> =>
  sql<boolean>`(${key.revokedAt} is null and ${key.rotatedAt} is null)`;

/** SQL: when a key last got time: when it was created, or when its newest `paid_time` row was added. */
export const expirySetAt = ({ id, createdAt }: { id: SQLWrapper; createdAt: SQLWrapper }): SQL =>
  sql`greatest(${createdAt}, (select max(p.created_at) from paid_time p where p.key_id = ${id}))`;

/** SQL condition: the key works now. At the exact instant of its expiry it does not. */
export const isInForce = (key: KeyStateColumns = apiKeys): SQL<boolean> =>
  sql<boolean>`(${isNeitherRevokedNorRotated(key)} and ${key.suspendedAt} is null and (${key.expiresAt} is null or ${key.expiresAt} > now()))`;

/**
 * SQL: the plans in force now, of a key with consecutive or concurrent plans (`stretches`), as a JSON array, the highest
 * first. Null for a key without `stretches`, whose only plan is `plan_tier`, and after the last stretch.
 */
export const concurrentPlans = (key: KeyStateColumns = apiKeys): SQL =>
  sql`case when ${key.stretches} is not null then (
        select ahead -> 'plans' from jsonb_array_elements(${key.stretches}) with ordinality as s(ahead, place)
         where coalesce((ahead ->> 'until')::timestamptz, 'infinity') > now() order by place limit 1) end`;

/** SQL: the highest plan in force now; for an expired key, its last one. */
export const planInForce = (key: KeyStateColumns = apiKeys): SQL<PlanTier> =>
  sql<PlanTier>`coalesce(${concurrentPlans(key)} ->> 0, ${key.stretches} -> -1 -> 'plans' ->> 0, ${key.planTier})`;

/** SQL: the names of all plans in force now as a JSON array, the highest first; for an expired key, its last plan. */
export const plansInForce = (key: KeyStateColumns = apiKeys): SQL =>
  sql`coalesce(${concurrentPlans(key)}, jsonb_build_array(${planInForce(key)}))`;

/** SQL condition, as text: the key whose id is this column was rotated. */
export const wasRotated = (keyId: string): string =>
  `exists (select 1 from api_keys o where o.id = ${keyId} and o.rotated_at is not null)`;

/** SQL condition: a trading client has called with any key of the key's subscription. Of `api_keys` without an alias. */
export const hasCalled = (): SQL<boolean> =>
  // The column's table is written out, because Drizzle leaves it out in a query of one table.
  sql<boolean>`exists (select 1 from key_heartbeats h where h.subscription_id = api_keys.subscription_id)`;

/** SQL condition: the key has this plan now; for an expired key, had it last. */
export const holdsPlan = (plan: PlanTier, key: KeyStateColumns = apiKeys): SQL =>
  sql`${plansInForce(key)} @> to_jsonb(${plan}::text)`;

/** SQL: the access state that a subscriber's newest key gives, one of ACCESS_STATES; `none` if the joined key is null. */
export const accessStateOf = (key: KeyStateColumns): SQL =>
  sql`case when ${key.id} is null then 'none' when not ${isNeitherRevokedNorRotated(key)} then 'revoked'
           when ${key.suspendedAt} is not null then 'suspended' when ${key.expiresAt} <= now() then 'expired' else 'active' end`;

/** Whether a key that was read from the database was revoked or rotated. */
export const isRevokedOrRotated = (key: { revokedAt: Date | null; rotatedAt: Date | null }): boolean =>
  (key.revokedAt ?? key.rotatedAt) !== null;

const minutesAgo = (minutes: number) => sql`now() - make_interval(mins => ${sql.raw(String(minutes))})`;

/** The SQL condition of each of EA_STATES, by the time of a trading client's last call. */
export function clientStateConditions(lastSeenAt: SQL) {
  return {
    online: sql`${lastSeenAt} >= ${minutesAgo(EA_ONLINE_MINUTES)}`,
    delayed: sql`${lastSeenAt} < ${minutesAgo(EA_ONLINE_MINUTES)} and ${lastSeenAt} >= ${minutesAgo(EA_DELAYED_MINUTES)}`,
    offline: sql`${lastSeenAt} < ${minutesAgo(EA_DELAYED_MINUTES)}`,
    never: sql`${lastSeenAt} is null`,
  };
}
