import { and, asc, eq, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { channelRecipients } from "@/db/schema";
import type { AddressChannelName, RecipientEventName, TelegramMessageState } from "@/lib/vocabulary";
import { columns, number, type Row, safeInteger, text, timestamp } from "./columns";

const RECORD = {
  recipientId: channelRecipients.id,
  channel: channelRecipients.channel,
  hint: channelRecipients.hint,
  events: channelRecipients.events,
  quietFrom: channelRecipients.quietFrom,
  quietTo: channelRecipients.quietTo,
  state: channelRecipients.state,
  lastCode: channelRecipients.lastCode,
  createdAt: channelRecipients.createdAt,
};

const owned = (subscriptionId: number, channel: AddressChannelName) =>
  and(eq(channelRecipients.subscriptionId, subscriptionId), eq(channelRecipients.channel, channel));

/** A subscriber's recipients (one per channel, such as Discord), without their addresses. */
export async function listRecipients(handle: DatabaseHandle, subscriptionId: number) {
  return handle
    .select(RECORD)
    .from(channelRecipients)
    .where(eq(channelRecipients.subscriptionId, subscriptionId))
    .orderBy(asc(channelRecipients.id));
}
export type RecipientRow = Awaited<ReturnType<typeof listRecipients>>[number];

/** A subscriber's recipient in a channel, locked until commit; null: none in this channel. */
export async function lockRecipient(
  tx: Transaction,
  subscriptionId: number,
  channel: AddressChannelName,
): Promise<RecipientRow | null> {
  const [row] = await tx
    .select(RECORD)
    .from(channelRecipients)
    .where(owned(subscriptionId, channel))
    .for("update");
  return row ?? null;
}

export interface RecipientSettings {
  events: RecipientEventName[];
  quietFrom: number | null;
  quietTo: number | null;
}

/**
 * With an address: creates a subscriber's recipient in a channel, or replaces its address and settings and resumes it if it
 * is paused; earlier signals are not queued for it. With `address` null: changes only the settings of an existing recipient.
 */
export async function saveRecipient(
  tx: Transaction,
  { subscriptionId, channel }: { subscriptionId: number; channel: AddressChannelName },
  choice: RecipientSettings,
  address: { addressEncrypted: string; hint: string } | null,
): Promise<void> {
  if (address === null) {
    await tx.update(channelRecipients).set(choice).where(owned(subscriptionId, channel));
    return;
  }
  const content = { ...choice, ...address, signalsUpTo: sql`(select last_seq from state_versions)` };
  await tx
    .insert(channelRecipients)
    .values({ ...content, subscriptionId, channel })
    .onConflictDoUpdate({
      target: [channelRecipients.subscriptionId, channelRecipients.channel],
      set: {
        ...content,
        state: "active",
        lastCode: null,
        failures: 0,
        nextAttemptAt: sql`clock_timestamp()`,
        // Invalidates the current lease: a failed send to the former address must not pause the new one.
        turn: sql`${channelRecipients.turn} + 1`,
        leasedUntil: null,
      },
    });
}

/** Deletes a subscriber's recipient in a channel, with its deliveries. Returns whether there was one. */
export async function deleteRecipient(
  tx: Transaction,
  subscriptionId: number,
  channel: AddressChannelName,
): Promise<boolean> {
  const rows = await tx
    .delete(channelRecipients)
    .where(owned(subscriptionId, channel))
    .returning({ id: channelRecipients.id });
  return rows.length > 0;
}

const DELIVERY = columns({
  id: safeInteger("d.id"),
  channel: text<AddressChannelName>("e.channel"),
  subscriptionId: number("e.subscription_id"),
  userName: text("b.user_name"),
  event: text("d.event"),
  symbol: text<string | null>("s.symbol"),
  timeframe: text<string | null>("s.timeframe"),
  state: text<TelegramMessageState>("d.state"),
  attempts: number("d.attempts"),
  lastCode: text<string | null>("d.last_code"),
  createdAt: timestamp("d.created_at"),
});
export type ChannelDeliveryRow = Row<typeof DELIVERY>;

/** The newest deliveries of a subscriber's recipient in a channel, newest first. */
export async function listChannelDeliveries(
  handle: DatabaseHandle,
  subscriptionId: number,
  channel: AddressChannelName,
  limit: number,
): Promise<ChannelDeliveryRow[]> {
  return DELIVERY.all(
    handle,
    sql`
    select ${DELIVERY.list}
      from channel_recipients e
      join subscriptions b on b.id = e.subscription_id
      join lateral (
        select * from channel_deliveries d where d.recipient_id = e.id order by d.id desc limit ${limit}) d on true
      left join slots s on s.id = d.slot_id
     where e.subscription_id = ${subscriptionId} and e.channel = ${channel} order by d.id desc`,
  );
}

/** The newest deliveries of all channels in the state `dead` or `doubtful`, newest first. */
export async function listTroubledChannelDeliveries(
  handle: DatabaseHandle,
  limit: number,
): Promise<ChannelDeliveryRow[]> {
  return DELIVERY.all(
    handle,
    sql`
    select ${DELIVERY.list}
      from (select * from channel_deliveries d where d.state in ('dead', 'doubtful')
             order by d.created_at desc limit ${limit}) d
      join channel_recipients e on e.id = d.recipient_id
      join subscriptions b on b.id = e.subscription_id
      left join slots s on s.id = d.slot_id
     order by d.created_at desc`,
  );
}

/**
 * Queues a delivery in the state `dead` or `doubtful` again and wakes the job that sends it. Returns the subscription that
 * it is for; null: no such delivery.
 */
export async function requeueChannelDelivery(
  tx: Transaction,
  id: number,
): Promise<{ subscriptionId: number } | null> {
  const [row] = await tx.execute<{ subscription_id: number }>(sql`
    with again as (
      update channel_deliveries set state = 'pending', attempts = 0, settled_at = null, created_at = clock_timestamp()
       where id = ${id} and state in ('dead', 'doubtful')
      returning recipient_id)
    update channel_recipients e set next_attempt_at = clock_timestamp()
      from again where e.id = again.recipient_id
    returning e.subscription_id, pg_notify('worker', 'channels')`);
  return row ? { subscriptionId: row.subscription_id } : null;
}

/** Whether a test was queued for a recipient within the last ten seconds. */
export async function isTestTooSoon(handle: DatabaseHandle, recipientId: number): Promise<boolean> {
  const rows = await handle.execute(sql`
    select 1 from channel_deliveries
     where recipient_id = ${recipientId} and event = 'test' and created_at > now() - interval '10 seconds' limit 1`);
  return rows.length > 0;
}
