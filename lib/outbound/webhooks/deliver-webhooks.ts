import type { Database, Transaction } from "@/db/client";
import type { ComputeReceiverAccess } from "@/db/queries/outbound-grants";
import { getSubscription } from "@/db/queries/subscriptions";
import {
  endEndpointLease,
  insertWebhookAttempt,
  type LeasedEndpoint,
  leaseEndpoints,
  lockEndpointLease,
  settleWebhookDelivery,
} from "@/db/queries/webhook-queue";
import { type Channel, deliverDueItems, type SettledSend } from "@/lib/outbound/channel";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { recordAudit } from "@/lib/runtime/audit";
import { log } from "@/lib/runtime/log";
import { includesFeature } from "@/lib/runtime/plan-features";
import { decrypt } from "@/lib/runtime/secrets";
import { WEBHOOK_TEST_EVENT, type WebhookPauseReason } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";
import { type PostOptions, type PostResult, postJson } from "./post";
import { accessCoversWebhookEvent } from "./queue-events";
import { webhookRetryDelayMs } from "./retry";
import { signedHeaders } from "./secret";

/** Longer than an attempt takes, so that no other worker takes the endpoint meanwhile. */
const LEASE_SECONDS = 30;
/** Concurrent deliveries to working endpoints, and to those whose last attempt failed. */
const LANES = [48, 16] as const;
const FAILING = 1;

export interface WebhookContext {
  accessOf: ComputeReceiverAccess;
  post?: PostOptions;
}

/**
 * Sends due deliveries to many endpoints concurrently, one per endpoint at a time and in order; returns the number of
 * attempts. At least once: a process that dies between the answer and its record sends the delivery again under the
 * same `webhook-id`.
 */
export const deliverDueWebhooks = (
  database: Database,
  context: WebhookContext,
  signal: AbortSignal,
): Promise<number> => deliverDueItems(webhookChannel(database, context), signal);

const webhookChannel = (
  database: Database,
  { accessOf, post }: WebhookContext,
): Channel<LeasedEndpoint, Due, PostResult> => ({
  name: "webhooks",
  lanes: LANES,
  gapMs: 0,
  lease: (lane, limit) =>
    leaseEndpoints(database, { failing: lane === FAILING, limit, leaseSeconds: LEASE_SECONDS }),
  async write(endpoint) {
    if (!isDue(endpoint)) return { result: "dropped", code: "nothing_due" };
    const closed = closedBecause(endpoint, accessOf);
    return closed === null ? { message: endpoint } : { result: "dropped", code: closed };
  },
  async send(_, endpoint) {
    const secrets = [endpoint.secretEncrypted, endpoint.formerSecretEncrypted].flatMap((sealed) =>
      sealed === null ? [] : [decrypt(sealed)],
    );
    const message = { id: messageId(endpoint), body: endpoint.body };
    const headers = signedHeaders(message, secrets, new Date());
    const report = await postJson(endpoint.url, endpoint.body, headers, post);
    const { status, code, retryAfterSeconds } = report;
    if (code === null) return { result: "sent", report };
    return status === 410
      ? { result: "dead", code, report }
      : { result: "retry", code, retryAfterSeconds, report };
  },
  // A test is attempted once.
  retryMs: ({ event, attempts }, { retryAfterSeconds }) =>
    event === WEBHOOK_TEST_EVENT
      ? null
      : webhookRetryDelayMs((attempts ?? 0) + 1, retryAfterSeconds ?? null, Math.random()),
  async settle(endpoint, end) {
    const { endpointId, turn } = endpoint;
    await database.transaction(async (tx) => {
      if (!(await lockEndpointLease(tx, endpointId, turn))) return;
      await endEndpointLease(tx, endpointId, isDue(endpoint) ? await settleDue(tx, endpoint, end) : CALM);
    });
  },
});

interface Due extends LeasedEndpoint {
  deliveryId: number;
  event: string;
  body: string;
  attempts: number;
}

const isDue = (endpoint: LeasedEndpoint): endpoint is Due => endpoint.deliveryId !== null;

/** The same id for each attempt of a delivery, by which a receiver recognises duplicates. */
export const messageId = ({ endpointId, deliveryId }: { endpointId: number; deliveryId: number }): string =>
  `msg_${endpointId}_${deliveryId}`;

/** Why a delivery must not be sent now; null: it may. */
function closedBecause(endpoint: Due, accessOf: ComputeReceiverAccess): string | null {
  const access = accessOf(endpoint);
  if (access === null) return "access_ended";
  if (!includesFeature(access, "webhooks")) return "plan_without_webhooks";
  const { symbol, timeframe } = endpoint;
  if (symbol !== null && timeframe !== null && !accessCoversWebhookEvent(access, { symbol, timeframe }))
    return "slot_not_in_plan";
  if (endpoint.isPaused) return "slot_paused";
  return null;
}

type Next = Parameters<typeof endEndpointLease>[2];
/** No failures are counted for the endpoint, and its next delivery may follow at once. */
const CALM: Next = { failures: 0, delayMs: 0, pause: null };

/** Stores the result of a delivery. Returns the failures, the delay and the pause of its endpoint. */
async function settleDue(tx: Transaction, endpoint: Due, end: SettledSend<PostResult>): Promise<Next> {
  const { endpointId, deliveryId, event } = endpoint;
  if (end.report === undefined) {
    // Without a report nothing was sent.
    if (end.state !== "sent") {
      const { attempts } = endpoint;
      await settleWebhookDelivery(tx, deliveryId, { state: "dropped", attempts, code: end.code });
    }
    return CALM;
  }
  const attempts = endpoint.attempts + 1;
  const { status, code, ms, answer } = end.report;
  const facts = { endpointId, deliveryId, event, attempt: attempts, ms, ...(code ? { reason: code } : {}) };
  await insertWebhookAttempt(tx, { endpointId, deliveryId, status, code, ms, answer });
  if (end.state === "sent") {
    await settleWebhookDelivery(tx, deliveryId, { state: "sent", attempts, code: null });
    log("info", "webhook taken", facts);
    return CALM;
  }
  if (end.state === "pending") {
    await settleWebhookDelivery(tx, deliveryId, { state: "pending", attempts, code: end.code });
    log("info", "webhook will be retried", { ...facts, seconds: Math.round(end.delayMs / 1000) });
    return { failures: attempts, delayMs: end.delayMs, pause: null };
  }
  await settleWebhookDelivery(tx, deliveryId, { state: "dead", attempts, code: end.code });
  // A test does not affect the endpoint's other deliveries.
  if (event === WEBHOOK_TEST_EVENT) {
    const { failures } = endpoint;
    return { failures, delayMs: webhookRetryDelayMs(failures, null, Math.random()) ?? 0, pause: null };
  }
  log("warn", "webhook given up, its endpoint is paused", facts);
  const reason = status === 410 ? "gone" : "failing";
  await pauseWithMail(tx, endpoint, { reason, code: end.code, attempts });
  return { failures: attempts, delayMs: 0, pause: reason };
}

/** Records that an endpoint is paused, and queues the mail about it. */
async function pauseWithMail(
  tx: Transaction,
  { endpointId, subscriptionId, deliveryId, turn, url }: Due,
  { reason, code, attempts }: { reason: WebhookPauseReason; code: string; attempts: number },
): Promise<void> {
  await recordAudit(tx, {
    actor: { kind: "worker" },
    action: "webhook.pause",
    target: `webhook/${endpointId}`,
    subscriptionId,
    details: { reason, code },
  });
  const { email, userName } = await getSubscription(tx, subscriptionId);
  if (email === null) return;
  await queueMail(tx, {
    kind: "webhook-paused",
    dedupeKey: `webhook-paused/${endpointId}/${deliveryId}/${turn}`,
    subscriptionId,
    recipient: email,
    props: { userName, host: new URL(url).host, code, attempts, pausedAt: writeInstant(new Date()) },
  });
}
