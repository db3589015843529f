import { and, desc, eq, gt, gte, isNotNull, isNull, lte, notExists, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { DatabaseHandle } from "@/db/client";
import { alertEpisodes, apiKeys, healthProbes, type PlanInterval, subscriptions } from "@/db/schema";
import type { PlanTier } from "@/lib/vocabulary";
import { columns, number, type Row, text, timestamp } from "./columns";
import {
  expirySetAt,
  hasCalled,
  isInForce,
  isNeitherRevokedNorRotated,
  keyColumnsAs,
  planInForce,
  plansInForce,
} from "./key-state";
import { currentGrantJoin, RECEIVER_COLUMNS } from "./outbound-grants";

const PERSON = {
  subscriptionId: subscriptions.id,
  userName: subscriptions.userName,
  // Typed as not null: the queries that use it select only subscriptions with an address.
  email: sql<string>`${subscriptions.email}`,
};

/**
 * Keys that expire after `after` and at the latest at `until`, of people who want reminders and whose subscription has no key
 * that lasts longer. Excludes revoked, rotated and suspended keys.
 */
export async function listEndingKeys(handle: DatabaseHandle, window: { after: Date; until: Date }) {
  const longer = alias(apiKeys, "longer");
  return handle
    .select({
      ...PERSON,
      keyId: apiKeys.id,
      planTier: planInForce(),
      plans: sql<PlanTier[]>`${plansInForce()}`,
      hasCalled: hasCalled(),
      // Typed as not null: the window below bounds it.
      expiresAt: sql<Date>`${apiKeys.expiresAt}`.mapWith(apiKeys.expiresAt),
      expirySetAt: sql<Date>`${expirySetAt(apiKeys)}`.mapWith(apiKeys.createdAt),
    })
    .from(apiKeys)
    .innerJoin(subscriptions, eq(subscriptions.id, apiKeys.subscriptionId))
    .where(
      and(
        isNeitherRevokedNorRotated(),
        // The owner of a suspended key needs no reminder of its expiry.
        isNull(apiKeys.suspendedAt),
        gt(apiKeys.expiresAt, window.after),
        lte(apiKeys.expiresAt, window.until),
        isNotNull(subscriptions.email),
        sql`${subscriptions.preferences}->>'mailReminders' is distinct from 'false'`,
        notExists(
          handle
            .select({ one: sql`1` })
            .from(longer)
            .where(
              and(
                eq(longer.subscriptionId, apiKeys.subscriptionId),
                isNeitherRevokedNorRotated(longer),
                sql`(${longer.expiresAt} is null or ${longer.expiresAt} > ${apiKeys.expiresAt})`,
              ),
            ),
        ),
      ),
    );
}

/**
 * Working keys with consecutive or concurrent plans, of people who want reminders and got no mail about a lower plan in
 * the day before `now`.
 */
export async function listKeysOfSeveralPlans(handle: DatabaseHandle, now: Date) {
  return handle
    .select({
      ...PERSON,
      keyId: apiKeys.id,
      expiresAt: apiKeys.expiresAt,
      // Typed as not null by the condition below.
      stretches: sql<PlanInterval[]>`${apiKeys.stretches}`,
    })
    .from(apiKeys)
    .innerJoin(subscriptions, eq(subscriptions.id, apiKeys.subscriptionId))
    .where(
      and(
        isNotNull(apiKeys.stretches),
        isInForce(),
        isNotNull(subscriptions.email),
        sql`${subscriptions.preferences}->>'mailReminders' is distinct from 'false'`,
        sql`not exists (select 1 from mail_outbox m where m.subscription_id = ${subscriptions.id} and m.kind = 'plan-ending'
          and m.created_at > ${now.toISOString()}::timestamptz - interval '1 day')`,
      ),
    );
}

const SILENT_CLIENT = columns({
  subscriptionId: number("s.id"),
  userName: text("s.user_name"),
  email: text("s.email"),
  lastSeenAt: timestamp("c.last_seen_at"),
  /** Clients whose last call was within five minutes of this one's, itself included. */
  stoppedTogether: number("c.stopped_together::int"),
  /** Clients that called later than that. */
  wentOn: number("c.went_on::int"),
});

/**
 * People with a working key who want offline mails and whose trading client last called between `since` and `until`, with
 * numbers of all clients that called after `since`.
 */
export async function listSilentClients(
  handle: DatabaseHandle,
  window: { since: Date; until: Date },
): Promise<Row<typeof SILENT_CLIENT>[]> {
  return SILENT_CLIENT.all(
    handle,
    sql`
    with clients as (
      select subscription_id, max(last_seen_at) as last_seen_at from key_heartbeats
       group by subscription_id having max(last_seen_at) > ${window.since.toISOString()}),
    counted as (
      select clients.*,
             count(*) over (order by last_seen_at range between interval '5 minutes' preceding
                                                            and interval '5 minutes' following) as stopped_together,
             count(*) over (order by last_seen_at desc range between unbounded preceding
                                                                 and interval '5 minutes' preceding) as went_on
        from clients)
    select ${SILENT_CLIENT.list}
      from counted c join ${subscriptions} s on s.id = c.subscription_id
     where c.last_seen_at <= ${window.until.toISOString()} and s.email is not null
       and s.preferences->>'mailEaOffline' is distinct from 'false'
       and exists (select 1 from ${apiKeys} k where k.subscription_id = s.id and ${isInForce(keyColumnsAs("k"))})`,
  );
}

/**
 * When the alert that most trading clients are silent last ended; null: never, or it has been firing since before `since`.
 * While one fires that began later, that is `now`.
 */
export async function findEndOfMassSilence(
  handle: DatabaseHandle,
  { since, now }: { since: Date; now: Date },
): Promise<Date | null> {
  const [row] = await handle
    .select({ openedAt: alertEpisodes.openedAt, closedAt: alertEpisodes.closedAt })
    .from(alertEpisodes)
    .where(eq(alertEpisodes.topic, "silent_clients"))
    .orderBy(desc(alertEpisodes.openedAt))
    .limit(1);
  if (row === undefined) return null;
  return row.closedAt ?? (row.openedAt > since ? now : null);
}

/** The health probes from `since` on, newest first. In their minutes the service ran. */
export async function listProbes(handle: DatabaseHandle, since: Date) {
  return handle
    .select({ minute: healthProbes.minute, status: healthProbes.status })
    .from(healthProbes)
    .where(gte(healthProbes.minute, since))
    .orderBy(desc(healthProbes.minute));
}

const MODEL_READER = columns({ ...RECEIVER_COLUMNS, userName: text("e.user_name"), email: text("e.email") });

/** People who want mails about new champions, with their current grant. */
export async function listModelMailRecipients(handle: DatabaseHandle): Promise<Row<typeof MODEL_READER>[]> {
  return MODEL_READER.all(
    handle,
    sql`
    select ${MODEL_READER.list}
      from (select id as subscription_id, user_name, email from subscriptions
             where preferences ->> 'mailModels' = 'true' and email is not null) e
      ${currentGrantJoin()}
     order by e.subscription_id`,
  );
}
