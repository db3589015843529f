import { randomUUID } from "node:crypto";
import type { Database, Transaction } from "@/db/client";
import { insertChannelDeliveries } from "@/db/queries/channel-queue";
import {
  deleteRecipient,
  isTestTooSoon,
  lockRecipient,
  requeueChannelDelivery,
  saveRecipient as storeRecipient,
} from "@/db/queries/channel-recipients";
import { lockSubscription } from "@/db/queries/subscriptions";
import { ADDRESS_CHANNELS } from "@/lib/outbound/channels";
import { requireValidQuietHours } from "@/lib/outbound/quiet-hours";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import type { PlansOfKey } from "@/lib/runtime/plan-features";
import { encrypt } from "@/lib/runtime/secrets";
import { type AddressChannelName, RECIPIENT_EVENTS, type RecipientEventName } from "@/lib/vocabulary";
import { AppError, invalidField } from "@/lib/wire/errors";
import { plansIncludeChannels } from "./address-channel";
import { deliveryOf } from "./queue-events";

/** The subscriber of the request, with the plans that decide whether they may have recipients. */
interface Owner extends PlansOfKey {
  subscriptionId: number;
}

export interface RecipientInput {
  /** Empty: the stored address stays. */
  address: string;
  events: readonly RecipientEventName[];
  quietFrom: number | null;
  quietTo: number | null;
}

/**
 * Stores a subscriber's address and events for a channel. A new address resumes a paused recipient. Throws 422 naming
 * the field, and conflict if the plan has no channels.
 */
export async function saveRecipient(
  database: Database,
  owner: Owner,
  name: AddressChannelName,
  wish: RecipientInput,
  actor: Actor,
): Promise<void> {
  requirePlan(owner);
  const { subscriptionId } = owner;
  const channel = ADDRESS_CHANNELS[name];
  const address = wish.address.trim() === "" ? null : channel.parseAddress(wish.address);
  if (wish.events.length === 0) throw invalidField("body", "events", "must name at least one event");
  requireValidQuietHours(wish);
  const choice = {
    events: RECIPIENT_EVENTS.filter((event) => wish.events.includes(event)),
    quietFrom: wish.quietFrom,
    quietTo: wish.quietTo,
  };
  await database.transaction(async (tx) => {
    await lockSubscription(tx, subscriptionId);
    if (address === null && (await lockRecipient(tx, subscriptionId, name)) === null)
      throw invalidField("body", "address", "is needed");
    const sealed =
      address === null ? null : { addressEncrypted: encrypt(address), hint: channel.hintOf(address) };
    await storeRecipient(tx, { subscriptionId, channel: name }, choice, sealed);
    await audit(tx, "save", owner, name, actor);
  });
}

/** Deletes a recipient with all its deliveries. */
export async function removeRecipient(
  database: Database,
  owner: Owner,
  name: AddressChannelName,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (await deleteRecipient(tx, owner.subscriptionId, name)) await audit(tx, "remove", owner, name, actor);
  });
}

/**
 * Queues a test message for a recipient. Throws conflict if there is no recipient, it is paused or was tested just now,
 * or the plan has no channels.
 */
export async function queueTestMessage(
  database: Database,
  owner: Owner,
  name: AddressChannelName,
): Promise<void> {
  requirePlan(owner);
  await database.transaction(async (tx) => {
    const recipient = await lockRecipient(tx, owner.subscriptionId, name);
    if (recipient === null) throw new AppError("conflict", { detail: "Save an address first." });
    if (recipient.state === "paused")
      throw new AppError("conflict", { detail: "This address no longer works. Enter a new one first." });
    if (await isTestTooSoon(tx, recipient.recipientId))
      throw new AppError("conflict", { detail: "A test was just sent. Wait ten seconds." });
    await insertChannelDeliveries(tx, [deliveryOf(recipient, "test", randomUUID(), null, { type: "test" })]);
  });
}

/** Requeues a delivery that was given up or is in doubt, for the administrator. */
export async function resendChannelMessage(database: Database, id: number, actor: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const again = await requeueChannelDelivery(tx, id);
    if (!again) throw new AppError("conflict", { detail: "This message was not given up." });
    await recordAudit(tx, {
      actor,
      action: "channel.send_again",
      target: `channel-delivery/${id}`,
      subscriptionId: again.subscriptionId,
    });
  });
}

function requirePlan(owner: Owner): void {
  if (!plansIncludeChannels(owner))
    throw new AppError("conflict", { detail: "Your plan does not include channels." });
}

const audit = (
  tx: Transaction,
  verb: "save" | "remove",
  { subscriptionId }: Owner,
  channel: AddressChannelName,
  actor: Actor,
): Promise<void> =>
  recordAudit(tx, { actor, action: `channel.${verb}`, target: `channel/${channel}`, subscriptionId });
