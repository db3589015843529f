import { and, desc, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { type PlanInterval, type SubscriptionPreferences, sessions } from "@/db/schema";
import type { PlanTier } from "@/lib/vocabulary";
import {
  boolean,
  columns,
  type DecodedRow,
  json,
  number,
  safeInteger,
  text,
  textArray,
  timestamp,
  timestampOrNull,
} from "./columns";
import { concurrentPlans, isInForce, keyColumnsAs, planInForce, wasRotated } from "./key-state";

/** Minutes after a sign-in for which irreversible actions are allowed. */
const FRESH_MINUTES = 10;

export interface NewSession {
  tokenHash: string;
  userId: string;
  subscriptionId: number | null;
  keyId: number | null;
  address: string | null;
  client: string | null;
  lifetimeDays: number;
}

export async function insertSession(handle: DatabaseHandle, session: NewSession): Promise<void> {
  const { lifetimeDays, ...row } = session;
  await handle.insert(sessions).values({
    ...row,
    role: "subscriber",
    expiresAt: sql`now() + make_interval(days => ${lifetimeDays})`,
  });
}

/**
 * Columns of the subscription that a session has selected, and of that subscription's newest working key, from the alias
 * `a`.
 */
export const SUBSCRIBER_ACCESS_COLUMNS = {
  userName: text("a.user_name"),
  email: text<string | null>("a.email"),
  preferences: json<SubscriptionPreferences>("a.preferences"),
  subscribedAt: timestamp("a.created_at"),
  hint: text("a.hint"),
  planTier: text<PlanTier>("a.plan_tier"),
  plans: json<PlanTier[] | null>("a.plans"),
  stretches: json<PlanInterval[] | null>("a.stretches"),
  expiresAt: timestampOrNull("a.expires_at"),
  symbolsAllowed: textArray<string[] | null>("a.symbols_allowed"),
  tfsAllowed: textArray<string[] | null>("a.tfs_allowed"),
  rateLimitPerMin: number<number | null>("a.rate_limit_per_min"),
  delayCandles: number<number | null>("a.delay_candles"),
  keyCreatedAt: timestamp("a.key_created_at"),
};

export interface SubscriberAccess extends DecodedRow<typeof SUBSCRIBER_ACCESS_COLUMNS> {
  subscriptionId: number;
  keyId: number;
}

const SESSION = {
  sessionId: text("s.id"),
  userId: text("s.user_id"),
  /** The person's address; null: signed in by key. */
  emailNormalized: text<string | null>("u.email_normalized"),
  /** The only subscription of a person who signed in by key; null for others. */
  ownSubscriptionId: number<number | null>("u.subscription_id"),
  /** The subscription selected in the portal; null: none yet. */
  subscriptionId: number<number | null>("s.subscription_id"),
  keyId: number<number | null>("s.key_id"),
  /** Whether the session was opened with a key that has been rotated since. */
  isKeyRotated: boolean(wasRotated("s.key_id")),
  /** Whether the sign-in is recent enough for irreversible actions. */
  isFresh: boolean(`s.created_at >= now() - make_interval(mins => ${FRESH_MINUTES})`),
  /** Whether the stored time of last use is older than a minute. */
  isDueForTouch: boolean("s.last_used_at < now() - interval '1 minute'"),
};

export interface FoundSession extends DecodedRow<typeof SESSION> {
  versions: { signals: number; executions: number };
  /** The person's current access to the selected subscription; null: there is none now. */
  access: SubscriberAccess | null;
}

const FOUND = columns({
  ...SESSION,
  signals: safeInteger("v.signals"),
  /** Version of the selected subscription's executions; 0: no executions yet. */
  executions: safeInteger("coalesce(x.version, 0)"),
  foundId: number<number | null>("a.id"),
  /** Typed as not null: it is set whenever `foundId` is. */
  foundKeyId: number("a.key_id"),
});
const GIVEN = columns(SUBSCRIBER_ACCESS_COLUMNS);

/**
 * The subquery with the columns that `SUBSCRIBER_ACCESS_COLUMNS` reads: the subscription (`b`) selected in session `s` and
 * its newest working key (`k`). `condition` may use these aliases.
 */
export const newestAccessSubquery = (condition: SQL): SQL => sql`(
        select b.id, b.user_name, b.email, b.preferences, b.created_at, k.id as key_id, k.hint, ${planInForce(keyColumnsAs("k"))} as plan_tier,
               ${concurrentPlans(keyColumnsAs("k"))} as plans, k.stretches, k.expires_at,
               k.symbols_allowed, k.tfs_allowed, k.rate_limit_per_min, k.delay_candles, k.created_at as key_created_at
          from subscriptions b
          join api_keys k on k.subscription_id = b.id
         where b.id = s.subscription_id and ${condition} and ${isInForce(keyColumnsAs("k"))}
         order by k.id desc
         limit 1)`;

/**
 * The subscriber's session of a token with its current access, in one statement. Access requires that the selected
 * subscription belongs to the person and has a working key; a session that was opened by key requires that key.
 */
export async function findSubscriberSession(
  handle: DatabaseHandle,
  tokenHash: string,
): Promise<FoundSession | null> {
  const [raw] = await handle.execute(sql`
    select ${FOUND.list}, ${GIVEN.list}
      from sessions s
      join users u on u.id = s.user_id
      join state_versions v on true
      left join execution_versions x on x.subscription_id = coalesce(s.subscription_id, u.subscription_id)
      left join lateral ${newestAccessSubquery(sql`
        (b.email_normalized = u.email_normalized or b.id = u.subscription_id)
        and (s.key_id is null or k.id = s.key_id)`)} a on true
     where s.token_hash = ${tokenHash} and s.role = 'subscriber' and s.ended_at is null and s.expires_at > now()`);
  if (!raw) return null;
  const { signals, executions, foundId, foundKeyId, ...session } = FOUND.decode(raw);
  return {
    ...session,
    versions: { signals, executions },
    access: foundId === null ? null : { subscriptionId: foundId, keyId: foundKeyId, ...GIVEN.decode(raw) },
  };
}

export async function touchSession(handle: DatabaseHandle, sessionId: string): Promise<void> {
  await handle.update(sessions).set({ lastUsedAt: sql`now()` }).where(eq(sessions.id, sessionId));
}

/** Ends the subscriber's session of this token. An ended or unknown session is ignored. */
export async function endSessionByToken(handle: DatabaseHandle, tokenHash: string): Promise<void> {
  await handle
    .update(sessions)
    .set({ endedAt: sql`now()`, flashEncrypted: null })
    .where(and(eq(sessions.tokenHash, tokenHash), eq(sessions.role, "subscriber"), isNull(sessions.endedAt)));
}

/**
 * Ends the subscriber sessions of this person, and those of other people that have selected this subscription. Returns the
 * number of ended sessions.
 */
export async function endSessionsEverywhere(
  handle: DatabaseHandle,
  owner: { userId: string; subscriptionId: number },
): Promise<number> {
  const ended = await handle
    .update(sessions)
    .set({ endedAt: sql`now()`, flashEncrypted: null })
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

/**
 * Open sessions of this person, and those of others that have selected this subscription: the 20 last used, newest use
 * first.
 */
export async function listOpenSessions(
  handle: DatabaseHandle,
  owner: { userId: string; subscriptionId: number },
) {
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

/** Selects another subscription in a session. The caller has checked that it belongs to the person. */
export async function setSessionSubscription(
  handle: DatabaseHandle,
  sessionId: string,
  subscriptionId: number,
): Promise<void> {
  await handle.update(sessions).set({ subscriptionId }).where(eq(sessions.id, sessionId));
}

/** Binds a session that was opened by a key to `keyId`, the key that replaced that key. Other sessions are left unchanged. */
export async function rebindSession(handle: DatabaseHandle, sessionId: string, keyId: number): Promise<void> {
  await handle
    .update(sessions)
    .set({ keyId })
    .where(and(eq(sessions.id, sessionId), sql`${sessions.keyId} is not null`));
}
