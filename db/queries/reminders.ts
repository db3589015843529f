import { and, desc, eq, gt, gte, isNotNull, isNull, lte, max, notExists, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Handle } from "@/db/client";
import { apiKeys, healthProbes, keyHeartbeats, type StoredInterval, subscriptions } from "@/db/schema";
import { columns, type Row, text } from "./columns";
import { endSetAt, isInForce, isUnended, keysAs, planInForce } from "./key-state";
import { grantOf, RECEIVER_COLUMNS } from "./outbound-grants";

const PERSON = {
  subscriptionId: subscriptions.id,
  userName: subscriptions.userName,
  // Both queries below select only subscriptions with one.
  email: sql<string>`${subscriptions.email}`,
};

/**
 * Keys in force that end between `after` and `until`, of people who want reminders and have no other key that lasts
 * longer.
 */
export async function listEndingKeys(handle: Handle, window: { after: Date; until: Date }) {
  const longer = alias(apiKeys, "longer");
  return handle
    .select({
      ...PERSON,
      keyId: apiKeys.id,
      planTier: planInForce(),
      // Not null, because the window below bounds it.
      expiresAt: sql<Date>`${apiKeys.expiresAt}`.mapWith(apiKeys.expiresAt),
      endSetAt: sql<Date>`${endSetAt(apiKeys)}`.mapWith(apiKeys.createdAt),
    })
    .from(apiKeys)
    .innerJoin(subscriptions, eq(subscriptions.id, apiKeys.subscriptionId))
    .where(
      and(
        isUnended(),
        // The end of a suspended key is irrelevant to its owner.
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
                isUnended(longer),
                sql`(${longer.expiresAt} is null or ${longer.expiresAt} > ${apiKeys.expiresAt})`,
              ),
            ),
        ),
      ),
    );
}

/** Keys in force with consecutive or concurrent plans, of people who want reminders. */
export async function listKeysOfSeveralPlans(handle: Handle) {
  return handle
    .select({
      ...PERSON,
      keyId: apiKeys.id,
      expiresAt: apiKeys.expiresAt,
      // Not null by the condition below.
      stretches: sql<StoredInterval[]>`${apiKeys.stretches}`,
    })
    .from(apiKeys)
    .innerJoin(subscriptions, eq(subscriptions.id, apiKeys.subscriptionId))
    .where(
      and(
        isNotNull(apiKeys.stretches),
        isInForce(),
        isNotNull(subscriptions.email),
        sql`${subscriptions.preferences}->>'mailReminders' is distinct from 'false'`,
      ),
    );
}

/** People with a key in force who want offline mails and whose trading client last called between `since` and `until`. */
export async function listSilentClients(handle: Handle, window: { since: Date; until: Date }) {
  const lastSeenAt = max(keyHeartbeats.lastSeenAt);
  return handle
    .select({ ...PERSON, lastSeenAt: sql<Date>`${lastSeenAt}`.mapWith(keyHeartbeats.lastSeenAt) })
    .from(subscriptions)
    .innerJoin(keyHeartbeats, eq(keyHeartbeats.subscriptionId, subscriptions.id))
    .where(
      and(
        isNotNull(subscriptions.email),
        sql`${subscriptions.preferences}->>'mailEaOffline' is distinct from 'false'`,
        sql`exists (select 1 from ${apiKeys} k where k.subscription_id = ${subscriptions.id} and ${isInForce(keysAs("k"))})`,
      ),
    )
    .groupBy(subscriptions.id)
    .having(
      and(
        // An aggregate has no column that encodes the instant.
        gt(lastSeenAt, sql.param(window.since, keyHeartbeats.lastSeenAt)),
        lte(lastSeenAt, sql.param(window.until, keyHeartbeats.lastSeenAt)),
      ),
    );
}

/** Minutes since `since` with a health probe, which proves that the service ran, newest first. */
export async function listProbeMinutes(handle: Handle, since: Date): Promise<Date[]> {
  const rows = await handle
    .select({ minute: healthProbes.minute })
    .from(healthProbes)
    .where(gte(healthProbes.minute, since))
    .orderBy(desc(healthProbes.minute));
  return rows.map((row) => row.minute);
}

const MODEL_READER = columns({ ...RECEIVER_COLUMNS, userName: text("e.user_name"), email: text("e.email") });

/** People who want mails about changed models, with their current access. */
export async function listModelReaders(handle: Handle): Promise<Row<typeof MODEL_READER>[]> {
  return MODEL_READER.all(
    handle,
    sql`
    select ${MODEL_READER.list}
      from (select id as subscription_id, user_name, email from subscriptions
             where preferences ->> 'mailModels' = 'true' and email is not null) e
      ${grantOf()}
     order by e.subscription_id`,
  );
}
