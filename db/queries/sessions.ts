import { and, desc, eq, isNull, or, sql } from "drizzle-orm";
import { NAMESPACES } from "@/db/advisory-locks";
import type { Handle } from "@/db/client";
import { type SubscriptionPreferences, sessions, signInTokens, subscriptions, users } from "@/db/schema";
import type { PlanTier } from "@/lib/vocabulary";
import { epochMs, toInstant, toInstantOrNull } from "./instants";

/** How long after a sign-in the person may do what cannot be undone. */
const FRESH_MINUTES = 10;
/** A key in force, as SQL over `api_keys k`. Exactly at its end it is not. */
const KEY_IS_LIVE = sql`k.revoked_at is null and k.rotated_at is null and (k.expires_at is null or k.expires_at > now())`;

/** The person with this address, made on first sight. */
export async function ensureUserByEmail(handle: Handle, emailNormalized: string): Promise<string> {
  const [row] = await handle
    .insert(users)
    .values({ emailNormalized })
    .onConflictDoUpdate({ target: users.emailNormalized, set: { emailNormalized } })
    .returning({ id: users.id });
  if (!row) throw new Error("the upsert returned no user");
  return row.id;
}

/** Whoever holds a key of this subscription, and may see nothing but it. */
export async function ensureUserBySubscription(handle: Handle, subscriptionId: number): Promise<string> {
  const [row] = await handle
    .insert(users)
    .values({ subscriptionId })
    .onConflictDoUpdate({ target: users.subscriptionId, set: { subscriptionId } })
    .returning({ id: users.id });
  if (!row) throw new Error("the upsert returned no user");
  return row.id;
}

export interface NewSession {
  tokenHash: string;
  userId: string;
  subscriptionId: number | null;
  keyId: number | null;
  address: string | null;
  client: string | null;
  lifetimeDays: number;
}

export async function insertSession(handle: Handle, session: NewSession): Promise<void> {
  const { lifetimeDays, ...row } = session;
  await handle.insert(sessions).values({
    ...row,
    role: "subscriber",
    expiresAt: sql`now() + make_interval(days => ${lifetimeDays})`,
  });
}

export interface FoundSession {
  sessionId: string;
  userId: string;
  /** null for someone who signed in by key. */
  emailNormalized: string | null;
  /** The only subscription of someone who signed in by key. */
  ownSubscriptionId: number | null;
  /** The subscription that the portal shows; null until it is chosen. */
  subscriptionId: number | null;
  keyId: number | null;
  /** Signed in recently enough for what cannot be undone. */
  isFresh: boolean;
  /** More than a minute since it was last used. */
  isDueForTouch: boolean;
  versions: { signals: number };
  /** The newest key in force of the subscription that is shown; null when access has ended. */
  access: SubscriberAccess | null;
}

export interface SubscriberAccess {
  subscriptionId: number;
  userName: string;
  email: string | null;
  preferences: SubscriptionPreferences;
  subscribedAt: Date;
  keyId: number;
  hint: string;
  planTier: PlanTier;
  expiresAt: Date | null;
  symbolsAllowed: string[] | null;
  tfsAllowed: string[] | null;
  rateLimitPerMin: number | null;
  keyCreatedAt: Date;
}

interface SessionRow extends Record<string, unknown> {
  session_id: string;
  user_id: string;
  email_normalized: string | null;
  own_subscription_id: number | null;
  subscription_id: number | null;
  session_key_id: number | null;
  fresh: boolean;
  due: boolean;
  signals: string;
  found_id: number | null;
  user_name: string;
  email: string | null;
  preferences: SubscriptionPreferences;
  subscribed_ms: string;
  key_id: number;
  hint: string;
  plan_tier: SubscriberAccess["planTier"];
  expires_ms: string | null;
  symbols_allowed: string[] | null;
  tfs_allowed: string[] | null;
  rate_limit_per_min: number | null;
  key_created_ms: string;
}

/**
 * The session behind a token with the access that it gives at this moment, in one statement: the subscription must be
 * the person's own and have a key in force; a session that was opened by key needs that very key.
 */
export async function findSubscriberSession(handle: Handle, tokenHash: string): Promise<FoundSession | null> {
  const [row] = await handle.execute<SessionRow>(sql`
    select s.id as session_id, s.user_id, u.email_normalized, u.subscription_id as own_subscription_id,
           s.subscription_id, s.key_id as session_key_id, s.created_at >= now() - make_interval(mins => ${FRESH_MINUTES}) as fresh,
           s.last_used_at < now() - interval '1 minute' as due, v.signals,
           a.id as found_id, a.user_name, a.email, a.preferences, ${epochMs("a.created_at")} as subscribed_ms,
           a.key_id, a.hint, a.plan_tier, ${epochMs("a.expires_at")} as expires_ms, a.symbols_allowed,
           a.tfs_allowed, a.rate_limit_per_min, ${epochMs("a.key_created_at")} as key_created_ms
      from sessions s
      join users u on u.id = s.user_id
      join state_versions v on true
      left join lateral (
        select b.id, b.user_name, b.email, b.preferences, b.created_at, k.id as key_id, k.hint, k.plan_tier, k.expires_at,
               k.symbols_allowed, k.tfs_allowed, k.rate_limit_per_min, k.created_at as key_created_at
          from subscriptions b
          join api_keys k on k.subscription_id = b.id
         where b.id = s.subscription_id
           and (b.email_normalized = u.email_normalized or b.id = u.subscription_id)
           and (s.key_id is null or k.id = s.key_id)
           and ${KEY_IS_LIVE}
         order by k.id desc
         limit 1) a on true
     where s.token_hash = ${tokenHash} and s.role = 'subscriber' and s.ended_at is null and s.expires_at > now()`);
  if (!row) return null;
  return {
    sessionId: row.session_id,
    userId: row.user_id,
    emailNormalized: row.email_normalized,
    ownSubscriptionId: row.own_subscription_id,
    subscriptionId: row.subscription_id,
    keyId: row.session_key_id,
    isFresh: row.fresh,
    isDueForTouch: row.due,
    versions: { signals: Number(row.signals) },
    access: row.found_id === null ? null : accessOf(row, row.found_id),
  };
}

function accessOf(row: SessionRow, subscriptionId: number): SubscriberAccess {
  return {
    subscriptionId,
    userName: row.user_name,
    email: row.email,
    preferences: row.preferences,
    subscribedAt: toInstant(row.subscribed_ms),
    keyId: row.key_id,
    hint: row.hint,
    planTier: row.plan_tier,
    expiresAt: toInstantOrNull(row.expires_ms),
    symbolsAllowed: row.symbols_allowed,
    tfsAllowed: row.tfs_allowed,
    rateLimitPerMin: row.rate_limit_per_min,
    keyCreatedAt: toInstant(row.key_created_ms),
  };
}

export async function touchSession(handle: Handle, sessionId: string): Promise<void> {
  await handle.update(sessions).set({ lastUsedAt: sql`now()` }).where(eq(sessions.id, sessionId));
}

/** Ends one session by its token; one that is over or unknown is left alone. */
export async function endSessionByToken(handle: Handle, tokenHash: string): Promise<void> {
  await handle
    .update(sessions)
    .set({ endedAt: sql`now()` })
    .where(and(eq(sessions.tokenHash, tokenHash), eq(sessions.role, "subscriber"), isNull(sessions.endedAt)));
}

/** Ends every session of this person and every other one that shows this subscription. Returns how many. */
export async function endSessionsEverywhere(
  handle: Handle,
  owner: { userId: string; subscriptionId: number },
): Promise<number> {
  const ended = await handle
    .update(sessions)
    .set({ endedAt: sql`now()` })
    .where(
      and(
        eq(sessions.role, "subscriber"),
        isNull(sessions.endedAt),
        or(eq(sessions.userId, owner.userId), eq(sessions.subscriptionId, owner.subscriptionId)),
      ),
    )
    .returning({ id: sessions.id });
  return ended.length;
}

/** Where this person, or someone with a key of the subscription, is signed in; last used first. */
export async function listOpenSessions(handle: Handle, owner: { userId: string; subscriptionId: number }) {
  return handle
    .select({
      sessionId: sessions.id,
      byKey: sql<boolean>`${sessions.keyId} is not null`,
      address: sessions.address,
      client: sessions.client,
      createdAt: sessions.createdAt,
      lastUsedAt: sessions.lastUsedAt,
    })
    .from(sessions)
    .where(
      and(
        eq(sessions.role, "subscriber"),
        isNull(sessions.endedAt),
        sql`${sessions.expiresAt} > now()`,
        or(eq(sessions.userId, owner.userId), eq(sessions.subscriptionId, owner.subscriptionId)),
      ),
    )
    .orderBy(desc(sessions.lastUsedAt))
    .limit(20);
}

/** Shows another subscription from now on. The caller has checked that it is the person's own. */
export async function chooseSubscription(
  handle: Handle,
  sessionId: string,
  subscriptionId: number,
): Promise<void> {
  await handle.update(sessions).set({ subscriptionId }).where(eq(sessions.id, sessionId));
}

/** Binds a session that was opened by key to the key that replaced it. */
export async function rebindSession(handle: Handle, sessionId: string, keyId: number): Promise<void> {
  await handle
    .update(sessions)
    .set({ keyId })
    .where(and(eq(sessions.id, sessionId), sql`${sessions.keyId} is not null`));
}

export interface OwnSubscription {
  subscriptionId: number;
  userName: string;
  planTier: SubscriberAccess["planTier"] | null;
  hint: string | null;
  expiresAt: Date | null;
  /** live: a key is in force; else how the newest one ended. */
  state: "live" | "expired" | "revoked" | "none";
  endedAt: Date | null;
}

/** A person's subscriptions with the state of their newest key, those in force first. */
export async function listOwnSubscriptions(
  handle: Handle,
  owner: { emailNormalized: string | null; ownSubscriptionId: number | null },
): Promise<OwnSubscription[]> {
  const rows = await handle.execute<{
    id: number;
    user_name: string;
    plan_tier: OwnSubscription["planTier"];
    hint: string | null;
    expires_ms: string | null;
    state: OwnSubscription["state"];
    ended_ms: string | null;
  }>(sql`
    select b.id, b.user_name, a.plan_tier, a.hint, ${epochMs("a.expires_at")} as expires_ms,
           case when a.id is null then 'none' when a.live then 'live' when a.revoked_at is not null then 'revoked'
                else 'expired' end as state,
           ${epochMs("case when a.live then null else coalesce(a.revoked_at, a.expires_at) end")} as ended_ms
      from subscriptions b
      left join lateral (
        select k.id, k.plan_tier, k.hint, k.expires_at, k.revoked_at, (${KEY_IS_LIVE}) as live
          from api_keys k
         where k.subscription_id = b.id and k.rotated_at is null
         order by live desc, k.id desc
         limit 1) a on true
     where b.email_normalized = ${owner.emailNormalized} or b.id = ${owner.ownSubscriptionId}
     order by coalesce(a.live, false) desc, b.id`);
  return rows.map((row) => ({
    subscriptionId: row.id,
    userName: row.user_name,
    planTier: row.plan_tier,
    hint: row.hint,
    expiresAt: toInstantOrNull(row.expires_ms),
    state: row.state,
    endedAt: toInstantOrNull(row.ended_ms),
  }));
}

/** A subscription of this address in the spelling to send to; null when there is none. */
export async function findMailboxOf(handle: Handle, emailNormalized: string) {
  const [row] = await handle
    .select({ subscriptionId: subscriptions.id, email: subscriptions.email })
    .from(subscriptions)
    .where(eq(subscriptions.emailNormalized, emailNormalized))
    .orderBy(desc(subscriptions.id))
    .limit(1);
  return row?.email ? { subscriptionId: row.subscriptionId, email: row.email } : null;
}

/** Records a link unless the address asked for `limit` within the last hour. Two at once are counted one after the other. */
export async function insertSignInToken(
  handle: Handle,
  token: { tokenHash: string; emailNormalized: string; lifetimeMinutes: number; limit: number },
): Promise<boolean> {
  await handle.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${token.emailNormalized}, ${NAMESPACES.signInLink}))`,
  );
  const inserted = await handle.execute(sql`
    insert into sign_in_tokens (token_hash, email_normalized, expires_at)
    select ${token.tokenHash}, ${token.emailNormalized}, now() + make_interval(mins => ${token.lifetimeMinutes})
     where (select count(*) from sign_in_tokens
             where email_normalized = ${token.emailNormalized} and created_at > now() - interval '1 hour') < ${token.limit}
    returning 1`);
  return inserted.length > 0;
}

/** What a link is worth now, without using it up. */
export async function findSignInToken(handle: Handle, tokenHash: string) {
  const [row] = await handle
    .select({
      emailNormalized: signInTokens.emailNormalized,
      state: sql<"valid" | "used" | "expired">`case when ${signInTokens.usedAt} is not null then 'used'
        when ${signInTokens.expiresAt} <= now() then 'expired' else 'valid' end`,
    })
    .from(signInTokens)
    .where(eq(signInTokens.tokenHash, tokenHash));
  return row ?? null;
}

/** Uses a link up and returns its address; null when it is unknown, used or expired. Of two at once one gets it. */
export async function consumeSignInToken(handle: Handle, tokenHash: string): Promise<string | null> {
  const [row] = await handle
    .update(signInTokens)
    .set({ usedAt: sql`now()` })
    .where(
      and(
        eq(signInTokens.tokenHash, tokenHash),
        isNull(signInTokens.usedAt),
        sql`${signInTokens.expiresAt} > now()`,
      ),
    )
    .returning({ emailNormalized: signInTokens.emailNormalized });
  return row?.emailNormalized ?? null;
}

/** Forgets links of more than a day ago, and subscribers' sessions that have been over for ninety days. */
export async function deleteOldSignIns(handle: Handle): Promise<void> {
  await handle.execute(sql`delete from sign_in_tokens where created_at < now() - interval '1 day'`);
  await handle.execute(sql`
    delete from sessions
     where role = 'subscriber' and least(coalesce(ended_at, expires_at), expires_at) < now() - interval '90 days'`);
}
