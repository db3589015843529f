import { and, asc, count, eq, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { webhookDeliveries, webhookEndpoints } from "@/db/schema";
import type { WebhookEndpointState, WebhookPauseReason } from "@/lib/vocabulary";
import { columns, number, type Row, safeInteger, text, timestamp } from "./columns";

const RECORD = {
  endpointId: webhookEndpoints.id,
  url: webhookEndpoints.url,
  events: webhookEndpoints.events,
  state: webhookEndpoints.state,
  pauseReason: webhookEndpoints.pauseReason,
  failures: webhookEndpoints.failures,
  formerSecretUntil: webhookEndpoints.formerSecretUntil,
  createdAt: webhookEndpoints.createdAt,
};

const owned = (subscriptionId: number, endpointId: number) =>
  and(eq(webhookEndpoints.id, endpointId), eq(webhookEndpoints.subscriptionId, subscriptionId));

/** A subscriber's endpoints, oldest first, without secrets. */
export async function listEndpoints(handle: DatabaseHandle, subscriptionId: number) {
  return handle
    .select(RECORD)
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.subscriptionId, subscriptionId))
    .orderBy(asc(webhookEndpoints.id));
}
export type EndpointRow = Awaited<ReturnType<typeof listEndpoints>>[number];

/** A subscriber's endpoint by its id; null: none. */
export async function findEndpoint(
  handle: DatabaseHandle,
  subscriptionId: number,
  endpointId: number,
): Promise<EndpointRow | null> {
  const [row] = await handle.select(RECORD).from(webhookEndpoints).where(owned(subscriptionId, endpointId));
  return row ?? null;
}

/** Number of a subscriber's endpoints. */
export async function countEndpoints(handle: DatabaseHandle, subscriptionId: number): Promise<number> {
  const [row] = await handle
    .select({ n: count() })
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.subscriptionId, subscriptionId));
  return row?.n ?? 0;
}

/** Stores a webhook endpoint, which gets events from now on. Returns its id. */
export async function insertEndpoint(
  tx: Transaction,
  endpoint: { subscriptionId: number; url: string; events: string[]; secretEncrypted: string },
): Promise<number> {
  const [row] = await tx
    .insert(webhookEndpoints)
    .values({ ...endpoint, signalsUpTo: sql`(select last_seq from state_versions)` })
    .returning({ id: webhookEndpoints.id });
  if (!row) throw new Error("the insert returned no endpoint");
  return row.id;
}

/** Changes URL and events of an endpoint. Returns whether the subscriber has this endpoint. */
export async function updateEndpoint(
  handle: DatabaseHandle,
  subscriptionId: number,
  endpointId: number,
  change: { url: string; events: string[] },
): Promise<boolean> {
  const rows = await handle
    .update(webhookEndpoints)
    .set(change)
    .where(owned(subscriptionId, endpointId))
    .returning({ id: webhookEndpoints.id });
  return rows.length > 0;
}

/**
 * Replaces the signing secret of an endpoint. For `hours`, deliveries are also signed with the former secret. Returns whether
 * the subscriber has this endpoint.
 */
export async function replaceEndpointSecret(
  handle: DatabaseHandle,
  subscriptionId: number,
  endpointId: number,
  secret: { encrypted: string; hours: number },
): Promise<boolean> {
  const rows = await handle
    .update(webhookEndpoints)
    .set({
      formerSecretEncrypted: sql`${webhookEndpoints.secretEncrypted}`,
      formerSecretUntil: sql`clock_timestamp() + make_interval(hours => ${secret.hours})`,
      secretEncrypted: secret.encrypted,
    })
    .where(owned(subscriptionId, endpointId))
    .returning({ id: webhookEndpoints.id });
  return rows.length > 0;
}

/** Pauses or resumes an endpoint and resets its failures to 0. Returns whether the subscriber has this endpoint. */
export async function setEndpointState(
  handle: DatabaseHandle,
  subscriptionId: number,
  endpointId: number,
  to: { state: WebhookEndpointState; pauseReason: WebhookPauseReason | null },
): Promise<boolean> {
  const rows = await handle.execute(sql`
    update webhook_endpoints e
       set state = ${to.state}, pause_reason = ${to.pauseReason}, failures = 0,
           next_attempt_at = case when exists (
             select 1 from webhook_deliveries d where d.endpoint_id = e.id and d.state = 'pending')
             then clock_timestamp() end
     where e.id = ${endpointId} and e.subscription_id = ${subscriptionId}
    returning pg_notify('worker', 'webhooks')`);
  return rows.length > 0;
}

/** Deletes an endpoint with its deliveries and attempts. Returns whether the subscriber had this endpoint. */
export async function deleteEndpoint(
  handle: DatabaseHandle,
  subscriptionId: number,
  endpointId: number,
): Promise<boolean> {
  const rows = await handle
    .delete(webhookEndpoints)
    .where(owned(subscriptionId, endpointId))
    .returning({ id: webhookEndpoints.id });
  return rows.length > 0;
}

/**
 * Requeues a delivery that is not pending, and makes its endpoint due at once. `subscriptionId` is the subscription of the
 * endpoint, or null for an administrator, who may requeue any delivery. Returns the endpoint; null: no such delivery.
 */
export async function requeueWebhookDelivery(
  tx: Transaction,
  subscriptionId: number | null,
  deliveryId: number,
): Promise<{ endpointId: number } | null> {
  const [row] = await tx.execute<{ endpoint_id: number }>(sql`
    with again as (
      update webhook_deliveries d set state = 'pending', attempts = 0, settled_at = null
        from webhook_endpoints e
       where d.id = ${deliveryId} and e.id = d.endpoint_id and d.state <> 'pending'
         and (${subscriptionId}::int is null or e.subscription_id = ${subscriptionId})
      returning d.endpoint_id)
    update webhook_endpoints e set next_attempt_at = clock_timestamp()
      from again where e.id = again.endpoint_id
    returning e.id as endpoint_id, pg_notify('worker', 'webhooks')`);
  return row ? { endpointId: row.endpoint_id } : null;
}

/** Makes an endpoint due at once, regardless of its retry delay. */
export async function wakeEndpoint(tx: Transaction, endpointId: number): Promise<void> {
  await tx.execute(
    sql`update webhook_endpoints set next_attempt_at = clock_timestamp() where id = ${endpointId}`,
  );
}

/** Number of attempts to send to an endpoint in the last minute, and whether a test delivery is queued. */
export async function readEndpointLoad(
  handle: DatabaseHandle,
  endpointId: number,
): Promise<{ tries: number; testWaits: boolean }> {
  const [row] = await handle.execute<{ tries: number; test_waits: boolean }>(sql`
    select (select count(*)::int from (
              select 1 from webhook_attempts a
               where a.endpoint_id = ${endpointId} and a.created_at > now() - interval '1 minute') recent) as tries,
           exists (select 1 from webhook_deliveries d
                    where d.endpoint_id = ${endpointId} and d.state = 'pending' and d.event = 'endpoint.test') as test_waits`);
  return { tries: row?.tries ?? 0, testWaits: row?.test_waits ?? false };
}

const ATTEMPT = columns({
  attemptId: safeInteger("t.id"),
  deliveryId: safeInteger("d.id"),
  event: text("d.event"),
  state: text<"pending" | "sent" | "dead" | "dropped">("d.state"),
  status: number<number | null>("t.status"),
  code: text<string | null>("t.code"),
  ms: number("t.ms"),
  answer: text("t.answer"),
  at: timestamp("t.created_at"),
});
export type WebhookAttemptRow = Row<typeof ATTEMPT>;

/** The newest attempts to send to a subscriber's endpoint, newest first. */
export async function listWebhookAttempts(
  handle: DatabaseHandle,
  owner: { subscriptionId: number; endpointId: number; limit: number },
): Promise<WebhookAttemptRow[]> {
  return ATTEMPT.all(
    handle,
    sql`
    select ${ATTEMPT.list}
      from webhook_attempts t
      join webhook_deliveries d on d.id = t.delivery_id
      join webhook_endpoints e on e.id = t.endpoint_id
     where t.endpoint_id = ${owner.endpointId} and e.subscription_id = ${owner.subscriptionId}
     order by t.id desc limit ${owner.limit}`,
  );
}

/** Number of waiting deliveries of a subscriber's endpoints, by endpoint id. */
export async function countWaitingDeliveriesByEndpoint(
  handle: DatabaseHandle,
  subscriptionId: number,
): Promise<Map<number, number>> {
  const rows = await handle
    .select({ endpointId: webhookDeliveries.endpointId, n: count() })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .where(and(eq(webhookEndpoints.subscriptionId, subscriptionId), eq(webhookDeliveries.state, "pending")))
    .groupBy(webhookDeliveries.endpointId);
  return new Map(rows.map((row) => [row.endpointId, row.n]));
}
