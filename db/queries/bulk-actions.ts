import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import type { AccessState, BulkKeyAction } from "@/lib/vocabulary";
import { columns, number, type Row } from "./columns";
import { textList } from "./parameters";
import { matchingSubscriberKeys, type SubscriberFilter } from "./subscribers";

/** Access states of a subscriber's newest key in which each bulk action applies; other subscribers are skipped. */
export const BULK_ACTION_ACCESS_STATES: Record<BulkKeyAction, readonly AccessState[]> = {
  suspend: ["active"],
  revoke: ["active", "expired", "suspended"],
  reinstate: ["suspended"],
};

const COUNTED = columns({
  suspend: number(sql`count(*) filter (where state in ${textList(BULK_ACTION_ACCESS_STATES.suspend)})::int`),
  revoke: number(sql`count(*) filter (where state in ${textList(BULK_ACTION_ACCESS_STATES.revoke)})::int`),
  reinstate: number(
    sql`count(*) filter (where state in ${textList(BULK_ACTION_ACCESS_STATES.reinstate)})::int`,
  ),
});

/** Number of filtered subscribers to whom each bulk action (suspend, revoke, reinstate) applies. */
export async function countBulkActionTargets(
  handle: DatabaseHandle,
  filter: SubscriberFilter,
): Promise<Record<BulkKeyAction, number>> {
  const either = [...new Set(Object.values(BULK_ACTION_ACCESS_STATES).flat())];
  return COUNTED.one(
    handle,
    sql`select ${COUNTED.list} from (${matchingSubscriberKeys(filter, either)}) wanted`,
  );
}

const STOPPED = columns({ keyId: number("changed.id"), subscriptionId: number("changed.subscription_id") });
export type BulkActionKey = Row<typeof STOPPED>;

const CHANGE: Record<BulkKeyAction, SQL> = {
  suspend: sql`suspended_at = date_trunc('milliseconds', now())`,
  revoke: sql`revoked_at = now()`,
  reinstate: sql`suspended_at = null`,
};

/** SQL: a timestamp as text, as Date.toISOString writes it. */
const iso = (instant: SQL) => sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
/** SQL: a timestamp as text to the second, as the API writes it. */
const seconds = (instant: SQL) => sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/**
 * SQL that selects the mails about suspensions and reinstatements: `changed` are the changed keys, `c.was` is the time of a
 * key's former suspension. Revocations are not mailed.
 */
const MAIL: Partial<Record<BulkKeyAction, SQL>> = {
  suspend: sql`
      select 'access-suspended/' || c.id || '/' || ${iso(sql`c.suspended_at`)}, 'access-suspended', s.id, s.email,
             jsonb_build_object('userName', s.user_name, 'suspendedAt', ${seconds(sql`c.suspended_at`)})
        from changed c join subscriptions s on s.id = c.subscription_id
       where s.email is not null`,
  // Not to subscribers whose access has expired meanwhile: they get no access back.
  reinstate: sql`
      select 'access-reinstated/' || c.id || '/' || ${iso(sql`c.was`)}, 'access-reinstated', s.id, s.email,
             jsonb_build_object('userName', s.user_name, 'expiresAt', ${seconds(sql`c.expires_at`)})
        from changed c join subscriptions s on s.id = c.subscription_id
       where s.email is not null and (c.expires_at is null or c.expires_at > now())`,
};

/**
 * Suspends, revokes or reinstates the newest key of each filtered subscriber, if it is in one of the action's states
 * (`BULK_ACTION_ACCESS_STATES`), and queues the mails about suspensions and reinstatements. Returns the changed keys.
 */
export async function applyBulkAction(
  tx: Transaction,
  filter: SubscriberFilter,
  act: BulkKeyAction,
): Promise<BulkActionKey[]> {
  const mail = MAIL[act];
  const mails = mail
    ? sql`, mails as (
      insert into mail_outbox (dedupe_key, kind, subscription_id, recipient, props) ${mail}
      on conflict (dedupe_key) do nothing returning pg_notify('worker', 'mail'))`
    : sql``;
  return STOPPED.all(
    tx,
    sql`
    with wanted as (${matchingSubscriberKeys(filter, BULK_ACTION_ACCESS_STATES[act])}), changed as (
      update api_keys a set ${CHANGE[act]} from wanted w where a.id = w.key_id and a.revoked_at is null and a.rotated_at is null
      returning a.id, a.subscription_id, a.suspended_at, a.expires_at, w.suspended_at as was)${mails}
    select ${STOPPED.list} from changed ${mail ? sql`left join (select count(*) from mails) queued on true` : sql``}
     order by changed.id`,
  );
}
