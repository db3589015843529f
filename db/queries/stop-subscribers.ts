import { type SQL, sql } from "drizzle-orm";
import type { Handle, Transaction } from "@/db/client";
import type { AccessState, StopKind } from "@/lib/vocabulary";
import { columns, number, type Row } from "./columns";
import { words } from "./parameters";
import { matchingSubscribers, type SubscriberFilter } from "./subscribers";

/** Whose newest key each act is for; the others of a list are left as they are. */
export const STOPPABLE: Record<StopKind, readonly AccessState[]> = {
  suspend: ["active"],
  revoke: ["active", "expired", "suspended"],
};

const COUNTED = columns({
  suspend: number(sql`count(*) filter (where state in ${words(STOPPABLE.suspend)})::int`),
  revoke: number(sql`count(*) filter (where state in ${words(STOPPABLE.revoke)})::int`),
});

/** How many of the matching subscribers each act on the whole list concerns. */
export async function countStoppable(
  handle: Handle,
  filter: SubscriberFilter,
): Promise<Record<StopKind, number>> {
  const either = [...new Set(Object.values(STOPPABLE).flat())];
  return COUNTED.one(
    handle,
    sql`select ${COUNTED.list} from (${matchingSubscribers(filter, either)}) wanted`,
  );
}

const STOPPED = columns({ keyId: number("changed.id"), subscriptionId: number("changed.subscription_id") });
export type StoppedKey = Row<typeof STOPPED>;

const CHANGE: Record<StopKind, SQL> = {
  suspend: sql`suspended_at = date_trunc('milliseconds', now())`,
  revoke: sql`revoked_at = now()`,
};

/** An instant as JavaScript writes it. */
const iso = (instant: SQL) => sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
/** The same to the second, as the interface writes it. */
const seconds = (instant: SQL) => sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** Suspends or revokes the newest key of each of them in one statement, with the mail that a suspension has. */
export async function stopMatching(
  tx: Transaction,
  filter: SubscriberFilter,
  act: StopKind,
): Promise<StoppedKey[]> {
  return STOPPED.all(
    tx,
    sql`
    with wanted as (${matchingSubscribers(filter, STOPPABLE[act])}), changed as (
      update api_keys a set ${CHANGE[act]} from wanted w where a.id = w.key_id and a.revoked_at is null and a.rotated_at is null
      returning a.id, a.subscription_id, a.suspended_at),
    mails as (
      insert into mail_outbox (dedupe_key, kind, subscription_id, recipient, props)
      select 'access-suspended/' || c.id || '/' || ${iso(sql`c.suspended_at`)}, 'access-suspended', s.id, s.email,
             jsonb_build_object('userName', s.user_name, 'suspendedAt', ${seconds(sql`c.suspended_at`)})
        from changed c join subscriptions s on s.id = c.subscription_id
       where ${act === "suspend"} and s.email is not null
      on conflict (dedupe_key) do nothing returning pg_notify('worker', 'mail'))
    select ${STOPPED.list} from changed left join (select count(*) from mails) queued on true order by changed.id`,
  );
}
