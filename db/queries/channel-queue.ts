import { sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import type { SubscriptionPreferences } from "@/db/schema";
import type { AddressChannelName, RecipientEventName, Timeframe } from "@/lib/vocabulary";
import {
  boolean,
  columns,
  json,
  number,
  type Row,
  safeInteger,
  text,
  textArray,
  timestampOrNull,
} from "./columns";
import { currentGrantJoin, RECEIVER_COLUMNS } from "./outbound-grants";
import { array } from "./parameters";
import { IS_PAUSED_SLOT } from "./pauses";
import { laggingReceivers } from "./signal-cursors";

const BEHIND = columns({
  recipientId: number("e.id"),
  // Not checked, because the names were validated when they were stored.
  events: textArray<RecipientEventName[]>("e.events"),
  signalsUpTo: safeInteger("e.signals_up_to"),
  ...RECEIVER_COLUMNS,
});
export type EventRecipient = Row<typeof BEHIND>;

/**
 * Up to `limit` active recipients whose cursor `signalsUpTo` is not at `lastSeq`, the `seq` of the newest signal. They
 * are locked until commit; recipients that another transaction has locked are left out.
 */
export async function lockLaggingRecipients(
  tx: Transaction,
  wanted: { lastSeq: number; limit: number },
): Promise<EventRecipient[]> {
  return BEHIND.all(
    tx,
    sql`
    with e as (${laggingReceivers("channel_recipients", wanted)})
    select ${BEHIND.list} from e ${currentGrantJoin()} order by e.id`,
  );
}

/** Active recipients, of all channels, that have subscribed to this kind of event. */
export async function listEventRecipients(
  handle: DatabaseHandle,
  event: RecipientEventName,
): Promise<EventRecipient[]> {
  return BEHIND.all(
    handle,
    sql`
    select ${BEHIND.list} from channel_recipients e ${currentGrantJoin()}
     where e.state = 'active' and ${event} = any(e.events) order by e.id`,
  );
}

export interface NewChannelDelivery {
  recipientId: number;
  event: string;
  /** Identifies the event: a recipient gets each pair of `event` and `subject` once. */
  subject: string;
  slotId: number | null;
  content: Record<string, unknown>;
}

/** Queues those deliveries that are not queued yet, and wakes the job that sends them. Returns the number of queued ones. */
export async function insertChannelDeliveries(
  handle: DatabaseHandle,
  rows: readonly NewChannelDelivery[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const column = <T extends number | string | null>(
    type: "int" | "text",
    of: (row: NewChannelDelivery) => T,
  ) => array(rows.map(of), type);
  const [result] = await handle.execute<{ n: number }>(sql`
    with fresh as (
      insert into channel_deliveries (recipient_id, event, subject, slot_id, content)
      select t.recipient_id, t.event, t.subject, t.slot_id, t.content::jsonb
        from unnest(${column("int", (row) => row.recipientId)}, ${column("text", (row) => row.event)},
                    ${column("text", (row) => row.subject)}, ${column("int", (row) => row.slotId)},
                    ${column("text", (row) => JSON.stringify(row.content))}) with ordinality
          as t(recipient_id, event, subject, slot_id, content, place)
       order by t.place
      on conflict (recipient_id, event, subject) do nothing
      returning recipient_id
    ), called as (
      -- Also updates rows that have a next attempt: lockRecipientLease then waits for this transaction, so that
      -- endRecipientLease sees its deliveries.
      update channel_recipients e set next_attempt_at = coalesce(e.next_attempt_at, clock_timestamp())
       where e.id in (select recipient_id from fresh)
    )
    select count(*)::int as n, pg_notify('worker', 'channels') from fresh`);
  return result?.n ?? 0;
}

const INCIDENT = columns({
  recipientId: number("e.id"),
  /** The id of an automatic incident, or for one written by an administrator `posted/` and its id. */
  subject: text("i.subject"),
  /** Whether the notification is about the end of the incident, not its beginning. */
  isOver: boolean("x.is_over"),
  component: text("i.component"),
  severity: text("i.severity"),
  /** Newest update of an incident written by an administrator; null: it has none, or the incident is automatic. */
  message: text<string | null>("i.message"),
  atMs: number(
    "(extract(epoch from case when x.is_over then i.closed_at else i.opened_at end) * 1000)::float8",
  ),
});
export type PendingIncidentNotification = Row<typeof INCIDENT>;

/**
 * Notifications about incidents that are not queued yet, for each recipient that has subscribed to incidents: about
 * incidents that opened in the last `hours`, and about the end of incidents whose opening was queued and that closed in
 * the last day. Incidents that opened over 30 days ago or before the recipient was created are left out.
 */
export async function listPendingIncidentNotifications(
  handle: DatabaseHandle,
  hours: number,
): Promise<PendingIncidentNotification[]> {
  return INCIDENT.all(
    handle,
    sql`
    with i as (
      select id::text as subject, component, severity, opened_at, closed_at, null as message
        from incidents where opened_at > now() - interval '30 days'
      union all
      select 'posted/' || p.id, p.title, p.severity, p.opened_at, p.resolved_at,
             (select u.message from incident_updates u where u.posted_id = p.id order by u.id desc limit 1)
        from posted_incidents p where p.opened_at > now() - interval '30 days')
    select ${INCIDENT.list}
      from i
      join channel_recipients e on e.state = 'active' and 'incident' = any(e.events) and e.created_at <= i.opened_at
      cross join (values (false), (true)) as x(is_over)
     where (i.opened_at > now() - make_interval(hours => ${hours}) or i.closed_at > now() - interval '1 day')
       and case when x.is_over
             then i.closed_at is not null and exists (
               select 1 from channel_deliveries d
                where d.recipient_id = e.id and d.event = 'incident' and d.subject = i.subject || '/opened')
             else i.opened_at > now() - make_interval(hours => ${hours}) end
       and not exists (
         select 1 from channel_deliveries d
          where d.recipient_id = e.id and d.event = 'incident'
            and d.subject = i.subject || case when x.is_over then '/closed' else '/opened' end)
     order by i.opened_at, i.subject, x.is_over, e.id`,
  );
}

/** A queued event of a leased recipient. */
export interface LeasedEvent {
  deliveryId: number;
  /** The content that was stored when the event was queued. */
  content: unknown;
  symbol: string | null;
  timeframe: Timeframe | null;
  /** Whether the event announces a signal of a paused slot. */
  isPaused: boolean;
  ageMs: number;
}

const LEASED = columns({
  recipientId: number("e.id"),
  /** Number of this lease; the recipient's next lease has a higher one. */
  turn: number("e.turn"),
  failures: number("e.failures"),
  addressEncrypted: text("e.address_encrypted"),
  quietFrom: number<number | null>("e.quiet_from"),
  quietTo: number<number | null>("e.quiet_to"),
  preferences: json<SubscriptionPreferences>("b.preferences"),
  ...RECEIVER_COLUMNS,
  events: json<LeasedEvent[]>("coalesce(d.events, '[]')"),
});
export type LeasedRecipient = Row<typeof LEASED>;

/**
 * Leases up to `limit` due recipients of a channel for `leaseSeconds`: those whose last attempt failed if `failing`,
 * else the others. Up to `together` of each recipient's oldest waiting events become `sending`. Events that are still
 * `sending` from an earlier lease become `doubtful`.
 */
export async function leaseRecipients(
  handle: DatabaseHandle,
  wanted: {
    channel: AddressChannelName;
    failing: boolean;
    limit: number;
    together: number;
    leaseSeconds: number;
  },
): Promise<LeasedRecipient[]> {
  return LEASED.all(
    handle,
    sql`
    with due as (
      select id from channel_recipients
       where channel = ${wanted.channel} and state = 'active' and next_attempt_at <= clock_timestamp()
         and (leased_until is null or leased_until <= clock_timestamp())
         and ${wanted.failing ? sql`failures > 0` : sql`failures = 0`}
       order by next_attempt_at limit ${wanted.limit} for update skip locked
    ), e as (
      update channel_recipients e
         set leased_until = clock_timestamp() + make_interval(secs => ${wanted.leaseSeconds}), turn = e.turn + 1
        from due where e.id = due.id
      returning e.*
    ), lost as (
      update channel_deliveries d set state = 'doubtful', last_code = 'process_ended', settled_at = clock_timestamp()
        from e where d.recipient_id = e.id and d.state = 'sending'
    ), taken as (
      update channel_deliveries d set state = 'sending', attempts = d.attempts + 1
        from e cross join lateral (
          select w.id from channel_deliveries w
           where w.recipient_id = e.id and w.state = 'pending' order by w.id limit ${wanted.together}) w
       where d.id = w.id
      returning d.*)
    select ${LEASED.list}
      from e
      join subscriptions b on b.id = e.subscription_id
      left join lateral (
        select jsonb_agg(jsonb_build_object(
                 'deliveryId', d.id, 'content', d.content, 'symbol', s.symbol, 'timeframe', s.timeframe,
                 'isPaused', d.event = 'signal.created' and ${IS_PAUSED_SLOT},
                 'ageMs', extract(epoch from clock_timestamp() - d.created_at) * 1000) order by d.id) as events
          from taken d left join slots s on s.id = d.slot_id
         where d.recipient_id = e.id) d on true
      ${currentGrantJoin()}`,
  );
}

/**
 * Locks a recipient until commit if `turn` is the number of its newest lease. Returns false if it was leased again, got a
 * new address or was deleted.
 */
export async function lockRecipientLease(
  tx: Transaction,
  recipientId: number,
  turn: number,
): Promise<boolean> {
  const rows = await tx.execute(
    sql`select 1 from channel_recipients where id = ${recipientId} and turn = ${turn} for update`,
  );
  return rows.length > 0;
}

/**
 * Sets the state of a recipient's events that are being sent, or only of those in `deliveryIds`. With `isUncounted` the
 * attempt does not count.
 */
export async function recordChannelDeliveryResults(
  handle: DatabaseHandle,
  recipientId: number,
  deliveryIds: readonly number[] | null,
  end: {
    state: "pending" | "sent" | "doubtful" | "dead" | "dropped";
    code: string | null;
    isUncounted?: boolean;
  },
): Promise<void> {
  const which = deliveryIds === null ? sql`` : sql`and id = any(${array([...deliveryIds], "bigint")})`;
  await handle.execute(sql`
    update channel_deliveries
       set state = ${end.state}, last_code = ${end.code}, attempts = attempts - ${end.isUncounted ? 1 : 0},
           settled_at = case when ${end.state} = 'pending' then null else clock_timestamp() end
     where recipient_id = ${recipientId} and state = 'sending' ${which}`);
}

/**
 * Ends a recipient's lease and stores its number of failures. If events wait, the next attempt comes after `delayMs`. With
 * `isPaused` the recipient gets nothing more until the subscriber saves an address again.
 */
export async function endRecipientLease(
  tx: Transaction,
  recipientId: number,
  next: { failures: number; delayMs: number; code: string | null; isPaused: boolean },
): Promise<void> {
  await tx.execute(sql`
    update channel_recipients e
       set leased_until = null, failures = ${next.failures}, last_code = ${next.code},
           state = ${next.isPaused ? "paused" : "active"},
           next_attempt_at = case when exists (
             select 1 from channel_deliveries d where d.recipient_id = e.id and d.state = 'pending')
             then clock_timestamp() + make_interval(secs => ${next.delayMs / 1000}) end
     where e.id = ${recipientId}`);
}

const COUNTS = columns({
  /** Includes deliveries that are being sent. */
  pending: number("(select count(*)::int from channel_deliveries where state in ('pending', 'sending'))"),
  doubtful: number("(select count(*)::int from channel_deliveries where state = 'doubtful')"),
  dead: number("(select count(*)::int from channel_deliveries where state = 'dead')"),
  sent24h: number(
    "(select count(*)::int from channel_deliveries where state = 'sent' and created_at > now() - interval '24 hours')",
  ),
  oldestPendingAt: timestampOrNull(
    "(select min(created_at) from channel_deliveries where state = 'pending')",
  ),
  recipients: number("(select count(*)::int from channel_recipients)"),
  paused: number("(select count(*)::int from channel_recipients where state = 'paused')"),
});
export type ChannelDeliveryCounts = Row<typeof COUNTS>;

/** Numbers of deliveries by state and of recipients, over all channels, and the time of the oldest waiting delivery. */
export async function readChannelDeliveryCounts(handle: DatabaseHandle): Promise<ChannelDeliveryCounts> {
  return COUNTS.one(handle, sql`select ${COUNTS.list}`);
}
