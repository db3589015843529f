import { randomUUID } from "node:crypto";
import type { Database, Transaction } from "@/db/client";
import { insertWebhookDeliveries } from "@/db/queries/outbound-events";
import { lockSubscription } from "@/db/queries/subscriptions";
import {
  countEndpoints,
  deleteEndpoint,
  findEndpoint,
  insertEndpoint,
  readEndpointLoad,
  replaceEndpointSecret,
  requeueWebhookDelivery,
  setEndpointState,
  updateEndpoint,
  wakeEndpoint,
} from "@/db/queries/webhook-endpoints";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { includesFeature, type PlansOfKey } from "@/lib/runtime/plan-features";
import { encrypt } from "@/lib/runtime/secrets";
import { WEBHOOK_EVENTS, WEBHOOK_TEST_EVENT } from "@/lib/vocabulary";
import { AppError, invalidField } from "@/lib/wire/errors";
import { endpointTestBody } from "./event-body";
import { newSigningSecret } from "./secret";
import { parseWebhookUrl } from "./target";

export const MAX_ENDPOINTS = 5;
/** Hours in which the previous secret stays valid in addition to the new one. */
export const SECRET_OVERLAP_HOURS = 24;
/**
 * After this many attempts of an endpoint within a minute no form can start another, so that no form floods a server.
 */
const TRIES_BY_HAND = 10;

/** The subscriber of the request, with the plans that decide whether they may have endpoints. */
interface Owner extends PlansOfKey {
  subscriptionId: number;
}

/**
 * Creates an endpoint for events from now on. Returns its id and its secret, which is shown once. Throws 422 naming
 * the field, and conflict if the plan has no webhooks or the limit is reached.
 */
export async function createEndpoint(
  database: Pick<Database, "transaction">,
  owner: Owner,
  wish: { url: string; events: readonly string[] },
  actor: Actor,
): Promise<{ endpointId: number; secret: string }> {
  requirePlan(owner);
  const endpoint = { url: parseWebhookUrl(wish.url), events: parseEvents(wish.events) };
  const secret = newSigningSecret();
  return database.transaction(async (tx) => {
    const { subscriptionId } = owner;
    // Locked until commit, so that two concurrent forms do not exceed the limit.
    await lockSubscription(tx, subscriptionId);
    if ((await countEndpoints(tx, subscriptionId)) >= MAX_ENDPOINTS)
      throw new AppError("conflict", {
        detail: `A subscription may have ${MAX_ENDPOINTS} endpoints. Delete one first.`,
      });
    const endpointId = await insertEndpoint(tx, {
      ...endpoint,
      subscriptionId,
      secretEncrypted: encrypt(secret),
    });
    await audit(tx, "webhook.create", owner, endpointId, actor);
    return { endpointId, secret };
  });
}

/** Changes address and events of an endpoint. Waiting deliveries go to the new address. */
export async function changeEndpoint(
  database: Database,
  owner: Owner,
  endpointId: number,
  wish: { url: string; events: readonly string[] },
  actor: Actor,
): Promise<void> {
  requirePlan(owner);
  const change = { url: parseWebhookUrl(wish.url), events: parseEvents(wish.events) };
  await database.transaction(async (tx) => {
    if (!(await updateEndpoint(tx, owner.subscriptionId, endpointId, change))) throw unknownEndpoint();
    await audit(tx, "webhook.change", owner, endpointId, actor);
  });
}

/**
 * Rotates the secret and returns the new one, which is shown once. For 24 hours deliveries carry signatures of both.
 */
export async function rotateEndpointSecret(
  database: Pick<Database, "transaction">,
  owner: Owner,
  endpointId: number,
  actor: Actor,
): Promise<string> {
  requirePlan(owner);
  const secret = newSigningSecret();
  await database.transaction(async (tx) => {
    const replaced = await replaceEndpointSecret(tx, owner.subscriptionId, endpointId, {
      encrypted: encrypt(secret),
      hours: SECRET_OVERLAP_HOURS,
    });
    if (!replaced) throw unknownEndpoint();
    await audit(tx, "webhook.rotate_secret", owner, endpointId, actor);
  });
  return secret;
}

/**
 * Pauses an endpoint. Its queued deliveries wait, and after a resume it gets the signals of the last 24 hours that it
 * missed. Results and model changes that are announced during the pause are not queued for it.
 */
export async function pauseEndpoint(
  database: Database,
  owner: Owner,
  endpointId: number,
  actor: Actor,
): Promise<void> {
  await changeState(database, owner, endpointId, { state: "paused", pauseReason: "by_owner" }, actor);
}

/** Resumes a paused endpoint and its waiting deliveries. */
export async function resumeEndpoint(
  database: Database,
  owner: Owner,
  endpointId: number,
  actor: Actor,
): Promise<void> {
  requirePlan(owner);
  await changeState(database, owner, endpointId, { state: "active", pauseReason: null }, actor);
}

async function changeState(
  database: Database,
  owner: Owner,
  endpointId: number,
  to: Parameters<typeof setEndpointState>[3],
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await setEndpointState(tx, owner.subscriptionId, endpointId, to))) throw unknownEndpoint();
    const action = to.state === "paused" ? "webhook.pause" : "webhook.resume";
    await audit(tx, action, owner, endpointId, actor);
  });
}

/** Deletes an endpoint with its secret and all its deliveries. */
export async function removeEndpoint(
  database: Database,
  owner: Owner,
  endpointId: number,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await deleteEndpoint(tx, owner.subscriptionId, endpointId))) throw unknownEndpoint();
    await audit(tx, "webhook.delete", owner, endpointId, actor);
  });
}

/**
 * Queues a test delivery for an endpoint, with a single attempt. Throws not_found for an unknown endpoint, and conflict
 * if it is paused, has a queued test, or was tried too often within a minute.
 */
export async function queueTestDelivery(database: Database, owner: Owner, endpointId: number): Promise<void> {
  requirePlan(owner);
  await database.transaction(async (tx) => {
    const endpoint = await findEndpoint(tx, owner.subscriptionId, endpointId);
    if (!endpoint) throw unknownEndpoint();
    if (endpoint.state === "paused")
      throw new AppError("conflict", { detail: "This endpoint is paused. Resume it first." });
    const load = await readEndpointLoad(tx, endpointId);
    if (load.testWaits) throw new AppError("conflict", { detail: "A test is already queued." });
    requireCalm(load);
    await insertWebhookDeliveries(tx, [
      {
        endpointId,
        event: WEBHOOK_TEST_EVENT,
        subject: randomUUID(),
        slotId: null,
        body: endpointTestBody(new Date()),
      },
    ]);
    await wakeEndpoint(tx, endpointId);
  });
}

/**
 * Requeues a delivery that was sent, given up or dropped, under the same id. Throws conflict if it is queued or no
 * longer stored, or if its endpoint was tried too often within a minute.
 */
export async function resendOutgoingWebhook(
  database: Database,
  owner: Owner | "administrator",
  deliveryId: number,
  actor: Actor,
): Promise<void> {
  if (owner !== "administrator") requirePlan(owner);
  await database.transaction(async (tx) => {
    const subscriptionId = owner === "administrator" ? null : owner.subscriptionId;
    const again = await requeueWebhookDelivery(tx, subscriptionId, deliveryId);
    if (!again)
      throw new AppError("conflict", { detail: "This delivery is already queued, or no longer stored." });
    requireCalm(await readEndpointLoad(tx, again.endpointId));
    await recordAudit(tx, {
      actor,
      action: "webhook.send_again",
      target: `webhook/${again.endpointId}`,
      subscriptionId,
      details: { deliveryId },
    });
  });
}

function requireCalm({ tries }: { tries: number }): void {
  if (tries >= TRIES_BY_HAND)
    throw new AppError("conflict", {
      detail: "Too many attempts for this endpoint within a minute. Wait a minute.",
    });
}

function requirePlan(owner: Owner): void {
  if (!includesFeature(owner, "webhooks"))
    throw new AppError("conflict", { detail: "Your plan does not include webhooks." });
}

/** The wanted events, without duplicates and in the order of the vocabulary. */
function parseEvents(wanted: readonly string[]): string[] {
  const unknown = wanted.find((event) => !WEBHOOK_EVENTS.some((known) => known === event));
  if (unknown !== undefined) throw invalidField("body", "events", "names an event that does not exist");
  if (wanted.length === 0) throw invalidField("body", "events", "must name at least one event");
  return WEBHOOK_EVENTS.filter((event) => wanted.includes(event));
}

async function audit(
  tx: Transaction,
  action: string,
  { subscriptionId }: Owner,
  endpointId: number,
  actor: Actor,
): Promise<void> {
  await recordAudit(tx, { actor, action, target: `webhook/${endpointId}`, subscriptionId });
}

const unknownEndpoint = () => new AppError("not_found", { detail: "There is no endpoint with this id." });
