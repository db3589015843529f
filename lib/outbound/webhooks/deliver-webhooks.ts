import { setTimeout as pause } from "node:timers/promises";
import type { Database, Transaction } from "@/db/client";
import type { JudgeAccess } from "@/db/queries/outbound-grants";
import { getSubscription } from "@/db/queries/subscriptions";
import {
  endTurn,
  insertAttempt,
  type LeasedEndpoint,
  leaseEndpoints,
  lockTurn,
  settleDelivery,
} from "@/db/queries/webhook-queue";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { recordAudit } from "@/lib/runtime/audit";
import { errorFacts, log } from "@/lib/runtime/log";
import { decrypt } from "@/lib/runtime/secrets";
import { TEST_EVENT } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";
import { type Posted, type PostOptions, postJson } from "./post";
import { covers, hasWebhooks } from "./queue-events";
import { pauseAfter } from "./retry";
import { signedHeaders } from "./secret";

/** Longer than a try takes, so that no other worker takes an endpoint in hand. */
const LEASE_SECONDS = 30;
/**
 * Endpoints that are served at once. Those whose last try failed have places of their own, so that the ones which hang
 * never hold up the others.
 */
const PLACES = { well: 48, failing: 16 } as const;
type Lane = keyof typeof PLACES;
const LOOK_AGAIN_MS = 200;

export interface WebhookContext {
  judge: JudgeAccess;
  post?: PostOptions;
}

/**
 * Sends what is due, one delivery an endpoint at a time and in order, to many endpoints at once; returns how many tries
 * were made. Each delivery is sent at least once: a process that dies between the answer and its record sends it again
 * under the same `webhook-id`.
 */
export async function deliverDueWebhooks(
  database: Database,
  context: WebhookContext,
  signal: AbortSignal,
): Promise<number> {
  const underWay = { well: new Set<Promise<void>>(), failing: new Set<Promise<void>>() };
  let tries = 0;
  const fill = async (lane: Lane): Promise<number> => {
    const limit = PLACES[lane] - underWay[lane].size;
    if (limit === 0 || signal.aborted) return 0;
    const leased = await leaseEndpoints(database, {
      failing: lane === "failing",
      limit,
      leaseSeconds: LEASE_SECONDS,
    });
    for (const endpoint of leased) {
      const turn: Promise<void> = serve(database, endpoint, context)
        .then((tried) => {
          if (tried) tries++;
        })
        // The lease runs out, and then it is tried again.
        .catch((error) => log("warn", "a webhook's turn failed", { error: errorFacts(error) }))
        .finally(() => underWay[lane].delete(turn));
      underWay[lane].add(turn);
    }
    return leased.length;
  };
  for (;;) {
    // A turn that ends while it is looked may leave something due that this look has not seen.
    const wasAtWork = underWay.well.size + underWay.failing.size > 0;
    const started = (await fill("well")) + (await fill("failing"));
    const turns = [...underWay.well, ...underWay.failing];
    if (turns.length === 0) {
      if (started === 0 && !wasAtWork) return tries;
      continue;
    }
    // Others become due while one is waited for.
    const look = new AbortController();
    await Promise.race([...turns, pause(LOOK_AGAIN_MS, undefined, { signal: look.signal })]).catch(
      () => undefined,
    );
    look.abort();
  }
}

interface Due extends LeasedEndpoint {
  deliveryId: number;
  event: string;
  body: string;
  attempts: number;
}

const isDue = (endpoint: LeasedEndpoint): endpoint is Due => endpoint.deliveryId !== null;

/** One turn of an endpoint. Returns whether something was sent. */
async function serve(
  database: Database,
  endpoint: LeasedEndpoint,
  { judge, post }: WebhookContext,
): Promise<boolean> {
  if (!isDue(endpoint)) {
    await settle(database, endpoint, async () => ({ failures: 0, delayMs: 0, pause: null }));
    return false;
  }
  const closed = closedBecause(endpoint, judge);
  if (closed !== null) {
    const { deliveryId, attempts } = endpoint;
    await settle(database, endpoint, async (tx) => {
      await settleDelivery(tx, deliveryId, { state: "dropped", attempts, code: closed });
      return { failures: 0, delayMs: 0, pause: null };
    });
    return false;
  }
  const secrets = [endpoint.secretEncrypted, endpoint.formerSecretEncrypted].flatMap((sealed) =>
    sealed === null ? [] : [decrypt(sealed)],
  );
  const message = { id: messageId(endpoint), body: endpoint.body };
  const posted = await postJson(
    endpoint.url,
    endpoint.body,
    signedHeaders(message, secrets, new Date()),
    post,
  );
  await settleTry(database, endpoint, posted);
  return true;
}

/** The same for every try of a delivery: by it a receiver recognises a repetition. */
export const messageId = ({ endpointId, deliveryId }: { endpointId: number; deliveryId: number }): string =>
  `msg_${endpointId}_${deliveryId}`;

/** Why a delivery must not leave, by what holds at this moment; null: it may. */
function closedBecause(endpoint: Due, judge: JudgeAccess): string | null {
  const access = judge(endpoint);
  if (access === null) return "access_ended";
  if (!hasWebhooks(access.planTier)) return "plan_without_webhooks";
  const { symbol, timeframe } = endpoint;
  if (symbol !== null && timeframe !== null && !covers(access, { symbol, timeframe }))
    return "slot_not_in_plan";
  if (endpoint.isPaused) return "slot_paused";
  return null;
}

async function settleTry(database: Database, endpoint: Due, posted: Posted): Promise<void> {
  const { endpointId, deliveryId, event } = endpoint;
  const attempts = endpoint.attempts + 1;
  const { status, code, ms, answer } = posted;
  const facts = { endpointId, deliveryId, event, attempt: attempts, ms, ...(code ? { reason: code } : {}) };
  await settle(database, endpoint, async (tx) => {
    await insertAttempt(tx, { endpointId, deliveryId, status, code, ms, answer });
    if (code === null) {
      await settleDelivery(tx, deliveryId, { state: "sent", attempts, code: null });
      log("info", "webhook taken", facts);
      return { failures: 0, delayMs: 0, pause: null };
    }
    // A test is tried once and says nothing of the endpoint's other deliveries.
    if (event === TEST_EVENT) {
      await settleDelivery(tx, deliveryId, { state: "dead", attempts, code });
      const { failures } = endpoint;
      return { failures, delayMs: pauseAfter(failures, null, Math.random()) ?? 0, pause: null };
    }
    const delayMs = status === 410 ? null : pauseAfter(attempts, posted.retryAfterSeconds, Math.random());
    if (delayMs !== null) {
      await settleDelivery(tx, deliveryId, { state: "pending", attempts, code });
      log("info", "webhook to be tried again", { ...facts, seconds: Math.round(delayMs / 1000) });
      return { failures: attempts, delayMs, pause: null };
    }
    await settleDelivery(tx, deliveryId, { state: "dead", attempts, code });
    log("warn", "webhook given up, its endpoint is paused", facts);
    const reason = status === 410 ? "gone" : "failing";
    await recordAudit(tx, {
      actor: { kind: "worker" },
      action: "webhook.pause",
      target: `webhook/${endpointId}`,
      subscriptionId: endpoint.subscriptionId,
      details: { reason, code },
    });
    const { email, userName } = await getSubscription(tx, endpoint.subscriptionId);
    if (email !== null) {
      await queueMail(tx, {
        kind: "webhook-paused",
        dedupeKey: `webhook-paused/${endpointId}/${deliveryId}/${endpoint.turn}`,
        subscriptionId: endpoint.subscriptionId,
        recipient: email,
        props: {
          userName,
          host: new URL(endpoint.url).host,
          code,
          attempts,
          pausedAt: writeInstant(new Date()),
        },
      });
    }
    return { failures: attempts, delayMs: 0, pause: reason };
  });
}

type Next = Parameters<typeof endTurn>[2];

/** Writes the result of a turn, unless another worker has taken the endpoint over or its owner has deleted it. */
async function settle(
  database: Database,
  { endpointId, turn }: LeasedEndpoint,
  write: (tx: Transaction) => Promise<Next>,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await lockTurn(tx, endpointId, turn))) return;
    await endTurn(tx, endpointId, await write(tx));
  });
}
