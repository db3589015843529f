import type { Database, Transaction } from "@/db/client";
import {
  insertWebhookDeliveries,
  listEndingKeysWithEndpoints,
  type NewWebhookDelivery,
  type PublishedChampion,
  type PublishedResult,
} from "@/db/queries/outbound-events";
import type { ComputeReceiverAccess, ReceiverAccess } from "@/db/queries/outbound-grants";
import { advanceCursors } from "@/db/queries/signal-cursors";
import { type EventEndpoint, listEventEndpoints, lockLaggingEndpoints } from "@/db/queries/webhook-queue";
import { isInScope } from "@/lib/outbound/in-scope";
import { readExpiryReminderDays } from "@/lib/outbound/mail/expiry-reminder-days";
import { daysLeftOf, dueReminderDays } from "@/lib/outbound/mail/expiry-reminders";
import { queueSignalsPastCursors } from "@/lib/outbound/queue-signals";
import { includesFeature } from "@/lib/runtime/plan-features";
import type { WebhookEvent } from "@/lib/vocabulary";
import { keyExpiringBody, modelChangedBody, signalCreatedBody, signalResolvedBody } from "./event-body";

/** Maximum number of signals read per transaction, for all endpoints together. */
const SIGNALS_PER_TURN = 1_000;
const OLDEST_HOURS = 24;
const ENDPOINTS_PER_TURN = 500;

/** Whether this access includes webhooks and an event's slot. */
export function accessCoversWebhookEvent(
  access: ReceiverAccess | null,
  slot: { symbol: string; timeframe: string },
): boolean {
  return access !== null && includesFeature(access, "webhooks") && isInScope(access.scope, slot);
}

/**
 * Queues the signals of the last 24 hours for the endpoints that want them, each signal once per endpoint. Returns the
 * number of new deliveries.
 */
export const queueWebhookSignals = (database: Database, accessOf: ComputeReceiverAccess): Promise<number> =>
  queueSignalsPastCursors<EventEndpoint>(database, {
    receiversPerTurn: ENDPOINTS_PER_TURN,
    signalsPerTurn: SIGNALS_PER_TURN,
    oldestHours: OLDEST_HOURS,
    lockBehind: lockLaggingEndpoints,
    listens: ({ events }) => events.includes("signal.created"),
    queue: (tx, endpoints, signals) => {
      const bodies = new Map(signals.map((signal) => [signal.seq, signalCreatedBody(signal)]));
      const rows = endpoints.flatMap((endpoint) => {
        const access = accessOf(endpoint);
        return signals
          .filter((signal) => signal.seq > endpoint.signalsUpTo && accessCoversWebhookEvent(access, signal))
          .map(({ seq, slotId }) =>
            deliveryOf(endpoint, "signal.created", String(seq), slotId, bodies.get(seq) ?? ""),
          );
      });
      return insertWebhookDeliveries(tx, rows);
    },
    advance: (tx, endpoints, to) =>
      advanceCursors(
        tx,
        "webhook_endpoints",
        endpoints.map(({ endpointId }) => endpointId),
        to,
      ),
  });

/** Queues results for the endpoints that want them, in the transaction that removes them from the pending results. */
export async function queueWebhookResults(
  tx: Transaction,
  results: readonly PublishedResult[],
  accessOf: ComputeReceiverAccess,
): Promise<number> {
  return queueForSlots(tx, "signal.resolved", results, accessOf, (result) => ({
    subject: String(result.seq),
    body: signalResolvedBody(result),
  }));
}

/** Queues champion changes for the endpoints that want them, in the transaction that marks them as announced. */
export async function queueWebhookChampionChanges(
  tx: Transaction,
  changes: readonly PublishedChampion[],
  accessOf: ComputeReceiverAccess,
): Promise<number> {
  return queueForSlots(tx, "model.changed", changes, accessOf, (change) => ({
    subject: `${change.slotId}/${change.modelV}/${change.championSince.getTime()}`,
    body: modelChangedBody(change),
  }));
}

async function queueForSlots<T extends { slotId: number; symbol: string; timeframe: string }>(
  tx: Transaction,
  event: WebhookEvent,
  happened: readonly T[],
  accessOf: ComputeReceiverAccess,
  write: (one: T) => { subject: string; body: string },
): Promise<number> {
  if (happened.length === 0) return 0;
  const listeners = await listEventEndpoints(tx, event);
  if (listeners.length === 0) return 0;
  const written = happened.map((one) => ({ one, ...write(one) }));
  const rows = listeners.flatMap((endpoint) => {
    const access = accessOf(endpoint);
    return written
      .filter(({ one }) => accessCoversWebhookEvent(access, one))
      .map(({ one, subject, body }) => deliveryOf(endpoint, event, subject, one.slotId, body));
  });
  return insertWebhookDeliveries(tx, rows);
}

/**
 * Queues the event `key.expiring` when reminders are mailed, such as 7, 3 and 1 days before a key expires. Returns the
 * number of new deliveries.
 */
export async function queueKeyExpiringEvents(database: Database, now: Date): Promise<number> {
  const noticeDays = await readExpiryReminderDays(database);
  const due = (await listEndingKeysWithEndpoints(database, Math.max(...noticeDays))).flatMap((key) => {
    const days = dueReminderDays(key, now, noticeDays);
    return days === null ? [] : [{ key, days }];
  });
  if (due.length === 0) return 0;
  const listeners = await listEventEndpoints(
    database,
    "key.expiring",
    due.map(({ key }) => key.subscriptionId),
  );
  const rows = listeners.flatMap((endpoint) =>
    due
      .filter(({ key }) => key.subscriptionId === endpoint.subscriptionId)
      .map(({ key, days }) =>
        deliveryOf(
          endpoint,
          "key.expiring",
          `${key.keyId}/${key.expiresAt.getTime()}/${days}`,
          null,
          keyExpiringBody(key, daysLeftOf(key, now), now),
        ),
      ),
  );
  return insertWebhookDeliveries(database, rows);
}

const deliveryOf = (
  { endpointId }: EventEndpoint,
  event: WebhookEvent,
  subject: string,
  slotId: number | null,
  body: string,
): NewWebhookDelivery => ({ endpointId, event, subject, slotId, body });
