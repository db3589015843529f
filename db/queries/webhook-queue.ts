import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import type { Timeframe, WebhookPauseReason } from "@/lib/vocabulary";
import {
  boolean,
  columns,
  number,
  type Row,
  safeInteger,
  text,
  textArray,
  timestamp,
  timestampOrNull,
} from "./columns";
import { currentGrantJoin, RECEIVER_COLUMNS } from "./outbound-grants";
import { array } from "./parameters";
import { IS_PAUSED_SLOT } from "./pauses";
import { laggingReceivers } from "./signal-cursors";

const LISTENER = columns({
  endpointId: number("e.id"),
  events: textArray("e.events"),
  signalsUpTo: safeInteger("e.signals_up_to"),
  ...RECEIVER_COLUMNS,
});
export type EventEndpoint = Row<typeof LISTENER>;

/** Active endpoints whose cursor is not at `lastSeq`, the `seq` of the newest signal, locked until commit. */
export async function lockLaggingEndpoints(
  tx: Transaction,
  wanted: { lastSeq: number; limit: number },
): Promise<EventEndpoint[]> {
  return LISTENER.all(
    tx,
    sql`
    with e as (${laggingReceivers("webhook_endpoints", wanted)})
    select ${LISTENER.list} from e ${currentGrantJoin()} order by e.id`,
  );
}

/** Active endpoints that have subscribed to an event, of all or of these subscriptions. */
export async function listEventEndpoints(
  handle: DatabaseHandle,
  event: string,
  subscriptionIds?: readonly number[],
): Promise<EventEndpoint[]> {
  const which: SQL =
    subscriptionIds === undefined
      ? sql``
      : sql`and e.subscription_id = any(${array([...subscriptionIds], "int")})`;
  return LISTENER.all(
    handle,
    sql`
    select ${LISTENER.list} from webhook_endpoints e ${currentGrantJoin()}
     where e.state = 'active' and ${event} = any(e.events) ${which} order by e.id`,
  );
}

const LEASED = columns({
  endpointId: number("e.id"),
  turn: number("e.turn"),
  /** Number of consecutive failed attempts to send to the endpoint. */
  failures: number("e.failures"),
  url: text("e.url"),
  secretEncrypted: text("e.secret_encrypted"),
  /** The former signing secret, as long as it is valid; else null. */
  formerSecretEncrypted: text<string | null>(
    "case when e.former_secret_until > clock_timestamp() then e.former_secret_encrypted end",
  ),
  ...RECEIVER_COLUMNS,
  /** Id of the delivery to send; null: none is waiting. */
  deliveryId: number<number | null>("d.id::float8"),
  event: text<string | null>("d.event"),
  body: text<string | null>("d.body"),
  /** Number of attempts to send the delivery so far. */
  attempts: number<number | null>("d.attempts"),
  symbol: text<string | null>("s.symbol"),
  timeframe: text<Timeframe | null>("s.timeframe"),
  /** Whether the delivery announces a signal of a paused slot. */
  isPaused: boolean(sql`coalesce(d.event = 'signal.created', false) and ${IS_PAUSED_SLOT}`),
});
export type LeasedEndpoint = Row<typeof LEASED>;

/**
 * Leases up to `limit` due endpoints for `leaseSeconds`, each with its waiting test, else its oldest waiting delivery.
 * `failing`: only endpoints with consecutive failures, or only those without.
 */
export async function leaseEndpoints(
  handle: DatabaseHandle,
  wanted: { failing: boolean; limit: number; leaseSeconds: number },
): Promise<LeasedEndpoint[]> {
  return LEASED.all(
    handle,
    sql`
    with due as (
      select id from webhook_endpoints
       where state = 'active' and next_attempt_at <= clock_timestamp()
         and (leased_until is null or leased_until <= clock_timestamp())
         and ${wanted.failing ? sql`failures > 0` : sql`failures = 0`}
       order by next_attempt_at limit ${wanted.limit} for update skip locked
    ), e as (
      update webhook_endpoints e
         set leased_until = clock_timestamp() + make_interval(secs => ${wanted.leaseSeconds}), turn = e.turn + 1
        from due where e.id = due.id
      returning e.*)
    select ${LEASED.list}
      from e
      left join lateral (
        (select * from webhook_deliveries d
          where d.endpoint_id = e.id and d.state = 'pending' and d.event = 'endpoint.test' limit 1)
        union all
        (select * from webhook_deliveries d where d.endpoint_id = e.id and d.state = 'pending' order by d.id limit 1)
        limit 1) d on true
      left join slots s on s.id = d.slot_id
      ${currentGrantJoin()}`,
  );
}

/** Locks an endpoint until commit if its newest lease has the number `turn`; false: it was leased again, or deleted. */
export async function lockEndpointLease(tx: Transaction, endpointId: number, turn: number): Promise<boolean> {
  const rows = await tx.execute(
    sql`select 1 from webhook_endpoints where id = ${endpointId} and turn = ${turn} for update`,
  );
  return rows.length > 0;
}

/**
 * Ends an endpoint's lease: sets its next attempt and failure count, and pauses it if `pause` is not null. A test that
 * was queued meanwhile is due at once, whatever `delayMs` says.
 */
export async function endEndpointLease(
  tx: Transaction,
  endpointId: number,
  next: { failures: number; delayMs: number; pause: WebhookPauseReason | null },
): Promise<void> {
  await tx.execute(sql`
    update webhook_endpoints e
       set leased_until = null, failures = ${next.failures},
           state = case when ${next.pause}::text is null then e.state else 'paused' end,
           pause_reason = coalesce(${next.pause}::text, e.pause_reason),
           next_attempt_at = case
             when exists (select 1 from webhook_deliveries d
                           where d.endpoint_id = e.id and d.state = 'pending' and d.event = 'endpoint.test')
               then clock_timestamp()
             when exists (select 1 from webhook_deliveries d where d.endpoint_id = e.id and d.state = 'pending')
               then clock_timestamp() + make_interval(secs => ${next.delayMs / 1000}) end
     where e.id = ${endpointId}`);
}

/** Stores state, number of attempts and error code of a delivery after an attempt to send it. */
export async function settleWebhookDelivery(
  tx: Transaction,
  deliveryId: number,
  outcome: { state: "pending" | "sent" | "dead" | "dropped"; attempts: number; code: string | null },
): Promise<void> {
  await tx.execute(sql`
    update webhook_deliveries
       set state = ${outcome.state}, attempts = ${outcome.attempts}, last_code = ${outcome.code},
           settled_at = case when ${outcome.state} = 'pending' then null else clock_timestamp() end
     where id = ${deliveryId}`);
}

const KEPT_ATTEMPTS = 200;

/** Stores an attempt to send a delivery, and deletes all but the last 200 attempts of the endpoint. */
export async function insertWebhookAttempt(
  tx: Transaction,
  attempt: {
    endpointId: number;
    deliveryId: number;
    status: number | null;
    code: string | null;
    ms: number;
    answer: string;
  },
): Promise<void> {
  await tx.execute(sql`
    insert into webhook_attempts (endpoint_id, delivery_id, status, code, ms, answer)
    values (${attempt.endpointId}, ${attempt.deliveryId}, ${attempt.status}, ${attempt.code}, ${attempt.ms}, ${attempt.answer})`);
  await tx.execute(sql`
    delete from webhook_attempts
     where endpoint_id = ${attempt.endpointId}
       and id <= (select id from webhook_attempts where endpoint_id = ${attempt.endpointId}
                   order by id desc offset ${KEPT_ATTEMPTS} limit 1)`);
}

const COUNTS = columns({
  pending: number("(select count(*)::int from webhook_deliveries where state = 'pending')"),
  dead: number("(select count(*)::int from webhook_deliveries where state = 'dead')"),
  sent24h: number(
    "(select count(*)::int from webhook_deliveries where state = 'sent' and created_at > now() - interval '24 hours')",
  ),
  oldestPendingAt: timestampOrNull(
    "(select min(created_at) from webhook_deliveries where state = 'pending')",
  ),
  /** Since when the oldest due delivery to an endpoint without failures has been due: only this service can delay it. */
  oldestDueAt: timestampOrNull(
    "(select min(next_attempt_at) from webhook_endpoints where state = 'active' and failures = 0 and next_attempt_at <= now())",
  ),
  endpoints: number("(select count(*)::int from webhook_endpoints)"),
  paused: number("(select count(*)::int from webhook_endpoints where state = 'paused')"),
});
export type WebhookCounts = Row<typeof COUNTS>;

/** Number of webhook deliveries and endpoints by state, and times of the oldest waiting and the oldest due delivery. */
export async function readWebhookCounts(handle: DatabaseHandle): Promise<WebhookCounts> {
  return COUNTS.one(handle, sql`select ${COUNTS.list}`);
}

const DELIVERY = columns({
  deliveryId: safeInteger("d.id"),
  endpointId: number("d.endpoint_id"),
  subscriptionId: number("e.subscription_id"),
  userName: text("b.user_name"),
  host: text("substring(e.url from '^https?://([^/?#]+)')"),
  event: text("d.event"),
  state: text<"pending" | "sent" | "dead" | "dropped">("d.state"),
  attempts: number("d.attempts"),
  lastCode: text<string | null>("d.last_code"),
  /** HTTP status of the last kept attempt; null: no answer, no attempt, or none is kept. */
  lastStatus: number<number | null>(
    "(select a.status from webhook_attempts a where a.delivery_id = d.id order by a.id desc limit 1)",
  ),
  createdAt: timestamp("d.created_at"),
});
export type WebhookDeliveryRow = Row<typeof DELIVERY>;

/** A page of the webhook deliveries of all subscribers, newest first, for the administrator. */
export async function listWebhookDeliveries(
  handle: DatabaseHandle,
  filter: { state?: string | undefined; limit: number; offset: number },
): Promise<WebhookDeliveryRow[]> {
  const which = filter.state === undefined ? sql`true` : sql`d.state = ${filter.state}`;
  return DELIVERY.all(
    handle,
    sql`
    select ${DELIVERY.list}
      from (select * from webhook_deliveries d where ${which} order by d.created_at desc, d.id desc
             limit ${filter.limit} offset ${filter.offset}) d
      join webhook_endpoints e on e.id = d.endpoint_id
      join subscriptions b on b.id = e.subscription_id
     order by d.created_at desc, d.id desc`,
  );
}

/** Number of webhook deliveries in this state, or of all. */
export async function countWebhookDeliveries(handle: DatabaseHandle, state?: string): Promise<number> {
  const which = state === undefined ? sql`true` : sql`state = ${state}`;
  const [row] = await handle.execute<{ n: number }>(
    sql`select count(*)::int as n from webhook_deliveries where ${which}`,
  );
  return row?.n ?? 0;
}
