import { eq, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { telegramChats, telegramLinks } from "@/db/schema";
import type { PlanTier, TelegramMessageKind, TelegramMessageState, Timeframe } from "@/lib/vocabulary";
import {
  boolean,
  columns,
  json,
  number,
  type Row,
  safeInteger,
  text,
  timestamp,
  timestampOrNull,
} from "./columns";
import { isInForce, keyColumnsAs, planInForce } from "./key-state";
import { currentGrantJoin, RECEIVER_COLUMNS } from "./outbound-grants";

/** The Telegram chat that is linked to a subscription; null: none. */
export async function findChat(handle: DatabaseHandle, subscriptionId: number) {
  const [row] = await handle
    .select()
    .from(telegramChats)
    .where(eq(telegramChats.subscriptionId, subscriptionId));
  return row ?? null;
}

const LINKED = columns({
  chatId: safeInteger("e.chat_id"),
  mutedSlots: json<number[]>("to_jsonb(e.muted_slots)"),
  withNoTrade: boolean("e.with_no_trade"),
  quietFrom: number<number | null>("e.quiet_from"),
  quietTo: number<number | null>("e.quiet_to"),
  expiresAt: timestampOrNull(
    `(select k.expires_at from api_keys k where k.subscription_id = e.subscription_id order by k.id desc limit 1)`,
  ),
  ...RECEIVER_COLUMNS,
});
export type LinkedChat = Row<typeof LINKED>;

/** A linked chat with its subscription and current grant; null: the chat is not linked. */
export async function findLinkedChat(handle: DatabaseHandle, chatId: number): Promise<LinkedChat | null> {
  return LINKED.first(
    handle,
    sql`select ${LINKED.list} from telegram_chats e ${currentGrantJoin()} where e.chat_id = ${chatId}`,
  );
}

/** Stores the token of a link that connects a chat to a subscription. Replaces the subscription's earlier tokens. */
export async function insertTelegramLink(
  tx: Transaction,
  link: { tokenHash: string; subscriptionId: number; minutes: number },
): Promise<void> {
  await tx.delete(telegramLinks).where(eq(telegramLinks.subscriptionId, link.subscriptionId));
  await tx.insert(telegramLinks).values({
    tokenHash: link.tokenHash,
    subscriptionId: link.subscriptionId,
    expiresAt: sql`clock_timestamp() + make_interval(mins => ${link.minutes})`,
  });
}

/** Consumes a link's token. Returns its subscription and plan (null: access has ended); null: unknown, used or expired. */
export async function consumeTelegramLink(
  tx: Transaction,
  tokenHash: string,
): Promise<{ subscriptionId: number; planTier: PlanTier | null } | null> {
  const [row] = await tx.execute<{ subscription_id: number; plan_tier: PlanTier | null }>(sql`
    with taken as (
      delete from telegram_links where token_hash = ${tokenHash} returning subscription_id, expires_at)
    select t.subscription_id,
           (select ${planInForce(keyColumnsAs("k"))} from api_keys k
             where k.subscription_id = t.subscription_id and ${isInForce(keyColumnsAs("k"))} order by k.id desc limit 1) as plan_tier
      from taken t where t.expires_at > clock_timestamp()`);
  return row ? { subscriptionId: row.subscription_id, planTier: row.plan_tier } : null;
}

/** Links a chat to a subscription. The subscription's former chat and the chat's former subscription are unlinked. */
export async function linkChat(
  tx: Transaction,
  chat: { subscriptionId: number; chatId: number; name: string | null },
): Promise<void> {
  await tx.execute(sql`
    delete from telegram_chats where chat_id = ${chat.chatId} and subscription_id <> ${chat.subscriptionId}`);
  await tx.execute(sql`
    insert into telegram_chats (subscription_id, chat_id, name, signals_up_to)
    select ${chat.subscriptionId}, ${chat.chatId}, ${chat.name}, last_seq from state_versions
    on conflict (subscription_id) do update
       set chat_id = excluded.chat_id, name = excluded.name, signals_up_to = excluded.signals_up_to,
           ended_at = null, linked_at = now()`);
}

/**
 * Unlinks a subscription's chat. Drops its queued messages, except replies, and its scheduled edits. Returns whether a chat
 * was linked.
 */
export async function unlinkChat(tx: Transaction, subscriptionId: number): Promise<boolean> {
  const rows = await tx.execute(sql`
    with gone as (delete from telegram_chats where subscription_id = ${subscriptionId} returning subscription_id),
    dropped as (
      update telegram_messages m set state = 'dropped', last_code = 'unlinked'
        from gone where m.subscription_id = gone.subscription_id and m.state = 'pending' and m.kind <> 'reply'),
    kept as (
      update telegram_messages m set edit_due_at = null
        from gone where m.subscription_id = gone.subscription_id and m.edit_due_at is not null)
    select 1 from gone`);
  return rows.length > 0;
}

/** Mutes a slot for a chat, or unmutes it if it is muted. */
export async function toggleSlotMute(tx: Transaction, subscriptionId: number, slotId: number): Promise<void> {
  await tx.execute(sql`
    update telegram_chats
       set muted_slots = case when ${slotId} = any(muted_slots) then array_remove(muted_slots, ${slotId})
                              else array_append(muted_slots, ${slotId}) end
     where subscription_id = ${subscriptionId}`);
}

/** Switches NO_TRADE signals on or off for a chat. */
export async function toggleNoTradeSignals(tx: Transaction, subscriptionId: number): Promise<void> {
  await tx.execute(
    sql`update telegram_chats set with_no_trade = not with_no_trade where subscription_id = ${subscriptionId}`,
  );
}

/** Sets the quiet hours of a chat; null: none. */
export async function setQuietHours(
  tx: Transaction,
  subscriptionId: number,
  hours: { from: number; to: number } | null,
): Promise<void> {
  await tx
    .update(telegramChats)
    .set({ quietFrom: hours?.from ?? null, quietTo: hours?.to ?? null })
    .where(eq(telegramChats.subscriptionId, subscriptionId));
}

const SLOT_NAME = columns({
  slotId: number("s.id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
});
export type SlotWithChampion = Row<typeof SLOT_NAME>;

/** The slots that have a champion, in order of symbol. */
export async function listSlotsWithChampion(handle: DatabaseHandle): Promise<SlotWithChampion[]> {
  return SLOT_NAME.all(
    handle,
    sql`select ${SLOT_NAME.list} from slots s join models m on m.slot_id = s.id and m.is_active order by s.symbol, s.id`,
  );
}

const SENT = columns({
  id: safeInteger("m.id"),
  kind: text<TelegramMessageKind>("m.kind"),
  state: text<TelegramMessageState>("m.state"),
  createdAt: timestamp("m.created_at"),
  sentAt: timestampOrNull("m.sent_at"),
  lastCode: text<string | null>("m.last_code"),
  /** Slots and directions of the message's signals; null for a message without signals. */
  about: text<string | null>(`(
    select string_agg(s.symbol || ' ' || s.timeframe || ' ' || replace(g.signal, '_', ' '), ', ' order by g.seq)
      from telegram_message_signals t join signals g on g.id = t.signal_id join slots s on s.id = g.slot_id
     where t.message_id = m.id)`),
  text: text<string | null>("m.text"),
});
export type SubscriberMessage = Row<typeof SENT>;

/** The newest messages to a subscriber, newest first: those that were not sent too, but no replies. */
export async function listSubscriberMessages(
  handle: DatabaseHandle,
  subscriptionId: number,
  limit: number,
): Promise<SubscriberMessage[]> {
  return SENT.all(
    handle,
    sql`
    select ${SENT.list} from telegram_messages m
     where m.subscription_id = ${subscriptionId} and m.kind <> 'reply' order by m.id desc limit ${limit}`,
  );
}

const ADMIN_ROW = columns({
  id: safeInteger("m.id"),
  subscriptionId: number<number | null>("m.subscription_id"),
  userName: text<string | null>("b.user_name"),
  kind: text<TelegramMessageKind>("m.kind"),
  state: text<TelegramMessageState>("m.state"),
  attempts: number("m.attempts"),
  lastCode: text<string | null>("m.last_code"),
  createdAt: timestamp("m.created_at"),
});
export type TroubledMessage = Row<typeof ADMIN_ROW>;

/** Messages of all chats that were given up, or of which it is unknown whether they arrived. Newest first. */
export async function listTroubledMessages(
  handle: DatabaseHandle,
  limit: number,
): Promise<TroubledMessage[]> {
  return ADMIN_ROW.all(
    handle,
    sql`
    select ${ADMIN_ROW.list} from telegram_messages m left join subscriptions b on b.id = m.subscription_id
     where m.state in ('dead', 'doubtful') order by m.created_at desc limit ${limit}`,
  );
}

/** Requeues a message in the state `dead` or `doubtful`. Returns its subscription; null: no such message. */
export async function requeueMessage(
  tx: Transaction,
  id: number,
): Promise<{ subscriptionId: number | null } | null> {
  const [row] = await tx.execute<{ subscription_id: number | null }>(sql`
    update telegram_messages set state = 'pending', attempts = 0, next_attempt_at = clock_timestamp(), last_code = null
     where id = ${id} and state in ('dead', 'doubtful')
    returning subscription_id, pg_notify('worker', 'telegram')`);
  return row ? { subscriptionId: row.subscription_id } : null;
}
