import type { Database, Transaction } from "@/db/client";
import {
  endRecipientLease,
  type LeasedRecipient,
  leaseRecipients,
  lockRecipientLease,
  recordChannelDeliveryResults,
} from "@/db/queries/channel-queue";
import type { ComputeReceiverAccess, ReceiverAccess } from "@/db/queries/outbound-grants";
import { getSubscription } from "@/db/queries/subscriptions";
import { backOffMs } from "@/lib/outbound/back-off";
import { type Channel, deliverDueItems, type SendResult } from "@/lib/outbound/channel";
import { isInScope } from "@/lib/outbound/in-scope";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { isQuietAt } from "@/lib/outbound/quiet-hours";
import { recordAudit } from "@/lib/runtime/audit";
import { env } from "@/lib/runtime/env";
import { errorFacts, log } from "@/lib/runtime/log";
import { includesFeature } from "@/lib/runtime/plan-features";
import { decrypt } from "@/lib/runtime/secrets";
import { HOUR_MS, SECOND_MS } from "@/lib/time";
import type { AddressChannelName } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";
import type { ChannelEvent } from "./events";

/**
 * A channel such as Discord, whose recipients are addresses that subscribers enter. All such channels share their
 * tables.
 */
export interface AddressChannel {
  name: AddressChannelName;
  title: string;
  /** Texts of the form field for the recipient's address. */
  address: { label: string; placeholder: string; hint: string };
  /** Normalises an address for storage. Throws 422 for the field `address`. */
  parseAddress(text: string): string;
  /** The masked address for the portal. */
  hintOf(address: string): string;
  /** Maximum events per message. */
  together: number;
  /** Concurrent sends to working recipients, and to those whose last attempt failed. */
  lanes: readonly [well: number, failing: number];
  /**
   * Shortest pause between two sends of the channel, in ms; `recipientGapMs` is the one between two sends to one
   * recipient.
   */
  gapMs: number;
  recipientGapMs: number;
  write(events: readonly ChannelEvent[], how: { silent: boolean; simulated: boolean }): string;
  /** Sends a message. `isGone` in the report: the address is permanently invalid. */
  send(address: string, message: string): Promise<SendResult<RecipientReport>>;
}

export interface RecipientReport {
  isGone: boolean;
}

/** Longer than a send takes, so that no other worker takes the recipient meanwhile. */
const LEASE_SECONDS = 30;
const FAILING = 1;
/** Events older than this are not sent, because a signal is useless after some hours. */
export const MAX_EVENT_AGE_HOURS = 6;

/**
 * Whether one of the plans that a subscriber has at the same time includes channels. Plans with Telegram include them.
 */
export const plansIncludeChannels = (held: Parameters<typeof includesFeature>[0]): boolean =>
  includesFeature(held, "telegram");

/** Whether this access includes channels and the slot of an event. An event without a slot belongs to every plan. */
export function accessCoversChannelEvent(
  access: ReceiverAccess | null,
  slot: { symbol: string | null; timeframe: string | null },
): boolean {
  return access !== null && plansIncludeChannels(access) && isInScope(access.scope, slot);
}

/**
 * Sends due events to the recipients of a channel, in order and one message per recipient at a time; returns the number
 * of messages. Events are marked as being sent before the request; if it is unknown whether they arrived, they are not
 * repeated.
 */
export const deliverToRecipients = (
  database: Database,
  channel: AddressChannel,
  accessOf: ComputeReceiverAccess,
  signal: AbortSignal,
): Promise<number> => deliverDueItems(queueOf(database, channel, accessOf), signal);

const queueOf = (
  database: Database,
  channel: AddressChannel,
  accessOf: ComputeReceiverAccess,
): Channel<LeasedRecipient, { address: string; body: string }, RecipientReport> => ({
  name: channel.name,
  lanes: channel.lanes,
  gapMs: channel.gapMs,
  lease: (lane, limit) =>
    leaseRecipients(database, {
      channel: channel.name,
      failing: lane === FAILING,
      limit,
      together: channel.together,
      leaseSeconds: LEASE_SECONDS,
    }),
  async write(recipient) {
    const open = await withoutClosed(database, recipient, accessOf);
    if (open.length === 0) return { result: "dropped", code: "nothing_to_tell" };
    const silent = isQuietAt(recipient, recipient.preferences.timeZone, new Date());
    // The cast is right: `queue-events` wrote this column.
    const events = open.map(({ content }) => content as ChannelEvent);
    try {
      const body = channel.write(events, { silent, simulated: env().marketFeed === "demo" });
      return { message: { address: decrypt(recipient.addressEncrypted), body } };
    } catch (error) {
      log("error", "could not write a message to a channel", {
        job: channel.name,
        error: errorFacts(error),
      });
      return { result: "retry", code: "not_written" };
    }
  },
  send: (_, { address, body }) => channel.send(address, body),
  retryMs: ({ failures }, { retryAfterSeconds }) =>
    Math.max(backOffMs(failures), (retryAfterSeconds ?? 0) * SECOND_MS),
  async settle(recipient, end) {
    const { recipientId, turn, failures, subscriptionId } = recipient;
    await database.transaction(async (tx) => {
      if (!(await lockRecipientLease(tx, recipientId, turn))) return;
      const code = end.state === "sent" ? null : end.code;
      await recordChannelDeliveryResults(tx, recipientId, null, {
        state: end.state,
        code,
        isUncounted: end.state === "pending" && end.isUncounted,
      });
      const isPaused = end.report?.isGone === true;
      const isFailure = end.state === "pending" && !end.isUncounted;
      await endRecipientLease(tx, recipientId, {
        failures: isFailure ? failures + 1 : end.state === "pending" ? failures : 0,
        delayMs:
          end.state === "pending" ? end.delayMs : end.report === undefined ? 0 : channel.recipientGapMs,
        code: end.report === undefined && end.state !== "pending" ? null : code,
        isPaused,
      });
      if (isPaused) await tellOfPause(tx, channel, recipient, code);
      if (code !== null && end.report !== undefined)
        log(isPaused ? "warn" : "info", "could not send a message to a channel", {
          job: channel.name,
          subscriptionId,
          reason: code,
        });
    });
  },
});

/** Writes an audit row for a paused recipient, and queues the mail about it. */
async function tellOfPause(
  tx: Transaction,
  { name, title }: AddressChannel,
  { recipientId, subscriptionId, turn }: LeasedRecipient,
  code: string | null,
): Promise<void> {
  await recordAudit(tx, {
    actor: { kind: "worker" },
    action: "channel.pause",
    target: `channel/${name}`,
    subscriptionId,
    details: { code },
  });
  const { email, userName } = await getSubscription(tx, subscriptionId);
  if (email === null) return;
  await queueMail(tx, {
    kind: "channel-paused",
    dedupeKey: `channel-paused/${recipientId}/${turn}`,
    subscriptionId,
    recipient: email,
    props: { userName, channel: title, pausedAt: writeInstant(new Date()) },
  });
}

/** Returns the events that may be sent now, and stores the outcome of the others. */
async function withoutClosed(
  database: Database,
  recipient: LeasedRecipient,
  accessOf: ComputeReceiverAccess,
): Promise<LeasedRecipient["events"]> {
  const access = accessOf(recipient);
  const closed = new Map<string, number[]>();
  const open = recipient.events.filter((event) => {
    const because = closedBecause(event, access);
    if (because !== null) closed.set(because, [...(closed.get(because) ?? []), event.deliveryId]);
    return because === null;
  });
  for (const [code, ids] of closed)
    await recordChannelDeliveryResults(database, recipient.recipientId, ids, {
      state: code === TOO_OLD ? "dead" : "dropped",
      code,
    });
  return open;
}

const TOO_OLD = "too_old";

function closedBecause(
  event: LeasedRecipient["events"][number],
  access: ReceiverAccess | null,
): string | null {
  if (access === null) return "access_ended";
  if (!accessCoversChannelEvent(access, event)) return "not_in_plan";
  if (event.isPaused) return "slot_paused";
  return event.ageMs > MAX_EVENT_AGE_HOURS * HOUR_MS ? TOO_OLD : null;
}
