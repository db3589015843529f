import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { apiKeys } from "@/db/schema";
import { DELAYED_MINUTES, ONLINE_MINUTES, type PlanTier } from "@/lib/vocabulary";

/** The columns that say whether a key works: those of the table, or of an alias in a statement written by hand. */
export interface KeyColumns {
  id: SQLWrapper;
  revokedAt: SQLWrapper;
  rotatedAt: SQLWrapper;
  expiresAt: SQLWrapper;
  suspendedAt: SQLWrapper;
  planTier: SQLWrapper;
  stretches: SQLWrapper;
}

/** The columns of `api_keys` under an alias: SQL of the source, never of a request. */
export function keysAs(alias: string): KeyColumns {
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

/** Neither revoked nor replaced; it may have expired or be suspended. */
export const isUnended = (key: KeyColumns = apiKeys): SQL<boolean> =>
  sql<boolean>`(${key.revokedAt} is null and ${key.rotatedAt} is null)`;

/** Works at this moment. Exactly at its end a key does not. */
export const isInForce = (key: KeyColumns = apiKeys): SQL<boolean> =>
  sql<boolean>`(${isUnended(key)} and ${key.suspendedAt} is null and (${key.expiresAt} is null or ${key.expiresAt} > now()))`;

/** The plans in force together as a JSON array, the highest first; null where `plan_tier` is the one. */
export const plansTogether = (key: KeyColumns = apiKeys): SQL =>
  sql`(select ahead -> 'plans' from jsonb_array_elements(${key.stretches}) with ordinality as s(ahead, place)
        where coalesce((ahead ->> 'until')::timestamptz, 'infinity') > now() order by place limit 1)`;

/**
 * The highest plan in force at this moment; of a key that has ended, the one it ended with. Few keys have stretches:
 * unfolding them for every key of a list was a sixth of its processor time.
 */
export const planInForce = (key: KeyColumns = apiKeys): SQL<PlanTier> =>
  sql<PlanTier>`case when ${key.stretches} is null then ${key.planTier}
    else coalesce(${plansTogether(key)} ->> 0, ${key.stretches} -> -1 -> 'plans' ->> 0, ${key.planTier}) end`;

/** The names of all plans in force at this moment as a JSON array, the highest first. */
export const plansInForce = (key: KeyColumns = apiKeys): SQL =>
  sql`coalesce(${plansTogether(key)}, jsonb_build_array(${planInForce(key)}))`;

/** Whether a plan is one of those in force at this moment; of a key that has ended, the one it ended with. */
export const holdsPlan = (plan: PlanTier, key: KeyColumns = apiKeys): SQL =>
  sql`${plansInForce(key)} @> to_jsonb(${plan}::text)`;

/** What a subscriber's newest key amounts to: one of ACCESS_STATES, `none` where there is no key. */
export const accessStateOf = (key: KeyColumns): SQL =>
  sql`case when ${key.id} is null then 'none' when not ${isUnended(key)} then 'revoked'
           when ${key.suspendedAt} is not null then 'suspended' when ${key.expiresAt} <= now() then 'expired' else 'active' end`;

/** Whether a stored key was revoked or replaced. */
export const hasEnded = (key: { revokedAt: Date | null; rotatedAt: Date | null }): boolean =>
  (key.revokedAt ?? key.rotatedAt) !== null;

const minutesAgo = (minutes: number) => sql`now() - make_interval(mins => ${sql.raw(String(minutes))})`;

/** How a trading client stands by its last call: the conditions of EA_STATES. */
export function clientStates(lastSeenAt: SQL) {
  return {
    online: sql`${lastSeenAt} >= ${minutesAgo(ONLINE_MINUTES)}`,
    delayed: sql`${lastSeenAt} < ${minutesAgo(ONLINE_MINUTES)} and ${lastSeenAt} >= ${minutesAgo(DELAYED_MINUTES)}`,
    offline: sql`${lastSeenAt} < ${minutesAgo(DELAYED_MINUTES)}`,
    never: sql`${lastSeenAt} is null`,
  };
}
