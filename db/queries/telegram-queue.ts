import { sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import type { SubscriptionPreferences, TelegramButton } from "@/db/schema";
import type { CalendarName, Direction, ExitReason, TelegramMessageKind } from "@/lib/vocabulary";
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
import { currentGrantJoin, RECEIVER_COLUMNS } from "./outbound-grants";
import { array } from "./parameters";
import { IS_PAUSED_SLOT } from "./pauses";
import { NAMED_SIGNAL_COLUMNS } from "./signals";

const CHAT = columns({
  chatId: safeInteger("e.chat_id"),
  signalsUpTo: safeInteger("e.signals_up_to"),
  mutedSlots: json<number[]>("to_jsonb(e.muted_slots)"),
  withNoTrade: boolean("e.with_no_trade"),
  /** Whether the chat was notified that access has ended. */
  hasEnded: boolean("e.ended_at is not null"),
  ...RECEIVER_COLUMNS,
});
export type ChatToNotify = Row<typeof CHAT>;

/** Chats whose cursor is not at `lastSeq`, the `seq` of the newest signal, locked until commit. */
export async function lockLaggingChats(
  tx: Transaction,
  { lastSeq, limit }: { lastSeq: number; limit: number },
): Promise<ChatToNotify[]> {
  return CHAT.all(
    tx,
    sql`
    with e as (
      select * from telegram_chats
       where signals_up_to < ${lastSeq} or signals_up_to > ${lastSeq}
       order by signals_up_to, subscription_id limit ${limit} for update skip locked)
    select ${CHAT.list} from e ${currentGrantJoin()} order by e.subscription_id`,
  );
}

/** Chats that were not yet notified that their access has ended, and chats that were, but whose access works again. */
export async function listChatsWithChangedAccess(handle: DatabaseHandle): Promise<ChatToNotify[]> {
  return CHAT.all(
    handle,
    sql`
    select ${CHAT.list} from telegram_chats e ${currentGrantJoin()}
     where (a.grant is null) <> (e.ended_at is not null) order by e.subscription_id`,
  );
}

/**
 * Records that the access of these chats has ended, or works again from the next signal on. Returns the subscriptions of the
 * changed chats.
 */
export async function setChatAccessEnded(
  tx: Transaction,
  subscriptionIds: readonly number[],
  ended: boolean,
): Promise<number[]> {
  const rows = await tx.execute<{ subscription_id: number }>(sql`
    update telegram_chats set ended_at = ${ended ? sql`now()` : sql`null`},
           signals_up_to = (select last_seq from state_versions)
     where subscription_id = any(${array(subscriptionIds, "int")}) and (ended_at is null) = ${ended}
    returning subscription_id`);
  return rows.map((row) => row.subscription_id);
}

/**
 * Advances the cursors of these chats to `upTo`. A cursor beyond `upTo` is kept, but limited to `lastSeq`, the newest
 * signal.
 */
export async function advanceChatCursors(
  tx: Transaction,
  subscriptionIds: readonly number[],
  { upTo, lastSeq }: { upTo: number; lastSeq: number },
): Promise<void> {
  await tx.execute(sql`
    update telegram_chats set signals_up_to = least(greatest(signals_up_to, ${upTo}::bigint), ${lastSeq}::bigint)
     where subscription_id = any(${array(subscriptionIds, "int")})`);
}

export interface NewMessage {
  dedupeKey: string;
  subscriptionId: number | null;
  chatId: number;
  kind: TelegramMessageKind;
  text: string | null;
  buttons?: TelegramButton[][] | undefined;
}

export interface NewMessageSignal {
  dedupeKey: string;
  subscriptionId: number;
  signalId: number;
  entryPrice: number | null;
  targetPrice: number | null;
  stopPrice: number | null;
}

/** Queues messages, once per `dedupeKey`, and wakes the job that sends them. Replies to a person are sent first. */
export async function insertMessages(
  handle: DatabaseHandle,
  rows: readonly NewMessage[],
  signals: readonly NewMessageSignal[] = [],
): Promise<void> {
  if (rows.length === 0) return;
  const column = <T extends number | string | null>(
    type: "int" | "bigint" | "text",
    of: (row: NewMessage) => T,
  ) => array(rows.map(of), type);
  const signalColumn = <T extends number | string | null>(
    type: "int" | "bigint" | "float8" | "text",
    of: (row: NewMessageSignal) => T,
  ) => array(signals.map(of), type);
  await handle.execute(sql`
    with fresh as (
      insert into telegram_messages (dedupe_key, subscription_id, chat_id, kind, text, buttons, next_attempt_at)
      select t.dedupe_key, t.subscription_id, t.chat_id, t.kind, t.text, t.buttons::jsonb,
             case when t.kind = 'reply' then clock_timestamp() - interval '1 day' else clock_timestamp() end
        from unnest(${column("text", (row) => row.dedupeKey)}, ${column("int", (row) => row.subscriptionId)},
                    ${column("bigint", (row) => row.chatId)}, ${column("text", (row) => row.kind)},
                    ${column("text", (row) => row.text)},
                    ${column("text", (row) => (row.buttons ? JSON.stringify(row.buttons) : null))}) with ordinality
          as t(dedupe_key, subscription_id, chat_id, kind, text, buttons, place)
       order by t.place
      on conflict (dedupe_key) do nothing
      returning id, dedupe_key
    ), linked as (
      insert into telegram_message_signals (message_id, signal_id, subscription_id, entry_price, target_price, stop_price)
      select f.id, t.signal_id, t.subscription_id, t.entry_price, t.target_price, t.stop_price
        from unnest(${signalColumn("text", (row) => row.dedupeKey)}, ${signalColumn("bigint", (row) => row.signalId)},
                    ${signalColumn("int", (row) => row.subscriptionId)}, ${signalColumn("float8", (row) => row.entryPrice)},
                    ${signalColumn("float8", (row) => row.targetPrice)}, ${signalColumn("float8", (row) => row.stopPrice)})
          as t(dedupe_key, signal_id, subscription_id, entry_price, target_price, stop_price)
        join fresh f on f.dedupe_key = t.dedupe_key
      on conflict (subscription_id, signal_id) do nothing
    )
    select pg_notify('worker', 'telegram')`);
}

/** Schedules an edit of every message with one of these signals that was sent or is being sent. */
export async function scheduleMessageEdits(tx: Transaction, signalIds: readonly number[]): Promise<void> {
  if (signalIds.length === 0) return;
  await tx.execute(sql`
    update telegram_messages m set edit_due_at = clock_timestamp()
      from (select distinct message_id from telegram_message_signals where signal_id = any(${array(signalIds, "bigint")})) s
     where m.id = s.message_id and m.state in ('sending', 'sent')`);
}

const LEASED = columns({
  id: safeInteger("m.id"),
  chatId: safeInteger("m.chat_id"),
  kind: text<TelegramMessageKind>("m.kind"),
  text: text<string | null>("m.text"),
  buttons: json<TelegramButton[][] | null>("m.buttons"),
  /** Number of attempts, including this one. */
  attempts: number("m.attempts"),
  messageId: number<number | null>("m.message_id::float8"),
  createdAt: timestamp("m.created_at"),
  editDueAt: timestampOrNull("m.edit_due_at"),
  isLinked: boolean("c.chat_id is not null"),
  preferences: json<SubscriptionPreferences | null>("b.preferences"),
  quietFrom: number<number | null>("c.quiet_from"),
  quietTo: number<number | null>("c.quiet_to"),
  subscriptionId: number<number | null>("m.subscription_id"),
  grant: RECEIVER_COLUMNS.grant,
});
export type LeasedMessage = Row<typeof LEASED>;

const AROUND = sql`
      left join telegram_chats c on c.subscription_id = m.subscription_id and c.chat_id = m.chat_id
      left join subscriptions b on b.id = m.subscription_id
      ${currentGrantJoin(sql`m.subscription_id`)}`;

/**
 * Marks the message that has been due longest as `sending` and returns it; null: none is due. Skips messages to chats whose
 * `next_send_at` has not come, and sets that of this message's chat to `gapMs` from now.
 */
export async function leaseMessage(handle: DatabaseHandle, gapMs: number): Promise<LeasedMessage | null> {
  return LEASED.first(
    handle,
    sql`
    with due as (
      select m.id, m.chat_id from telegram_messages m
       where m.state = 'pending' and m.next_attempt_at <= clock_timestamp()
         and not exists (select 1 from telegram_chats c where c.chat_id = m.chat_id and c.next_send_at > clock_timestamp())
       order by m.next_attempt_at, m.id limit 1 for update skip locked
    ), m as (
      update telegram_messages t set state = 'sending', sending_since = clock_timestamp(), attempts = t.attempts + 1
        from due where t.id = due.id returning t.*
    ), spaced as (
      update telegram_chats c set next_send_at = clock_timestamp() + make_interval(secs => ${gapMs / 1000})
        from due where c.chat_id = due.chat_id
    )
    select ${LEASED.list} from m ${AROUND}`,
  );
}

/**
 * Leases for `leaseSeconds` the sent message whose edit has been due longest; null: none is due. Skips chats whose
 * `next_send_at` has not come, and sets that of this message's chat to `gapMs` from now.
 */
export async function leaseMessageEdit(
  handle: DatabaseHandle,
  { gapMs, leaseSeconds }: { gapMs: number; leaseSeconds: number },
): Promise<LeasedMessage | null> {
  return LEASED.first(
    handle,
    sql`
    with due as (
      select m.id, m.chat_id from telegram_messages m
       where m.edit_due_at <= clock_timestamp() and m.state = 'sent'
         and not exists (select 1 from telegram_chats c where c.chat_id = m.chat_id and c.next_send_at > clock_timestamp())
       order by m.edit_due_at, m.id limit 1 for update skip locked
    ), m as (
      update telegram_messages t set edit_due_at = date_trunc('milliseconds', clock_timestamp() + make_interval(secs => ${leaseSeconds}))
        from due where t.id = due.id returning t.*
    ), spaced as (
      update telegram_chats c set next_send_at = clock_timestamp() + make_interval(secs => ${gapMs / 1000})
        from due where c.chat_id = due.chat_id
    )
    select ${LEASED.list} from m ${AROUND}`,
  );
}

const MESSAGE_SIGNAL = columns({
  predId: safeInteger("g.id"),
  slotId: number("g.slot_id"),
  calendar: text<CalendarName>("y.calendar"),
  digits: number("y.digits"),
  isPaused: boolean(IS_PAUSED_SLOT),
  ...NAMED_SIGNAL_COLUMNS,
  entryPrice: number<number | null>("t.entry_price"),
  targetPrice: number<number | null>("t.target_price"),
  stopPrice: number<number | null>("t.stop_price"),
  label: text<Direction | null>("o.label"),
  resultR: number<number | null>("o.result_r"),
  exitReason: text<ExitReason | null>("o.exit_reason"),
});
export type MessageSignal = Row<typeof MESSAGE_SIGNAL>;

/** The signals of a message with their results, in commit order. */
export async function listMessageSignals(
  handle: DatabaseHandle,
  messageId: number,
): Promise<MessageSignal[]> {
  return MESSAGE_SIGNAL.all(
    handle,
    sql`
    select ${MESSAGE_SIGNAL.list}
      from telegram_message_signals t
      join signals g on g.id = t.signal_id
      join slots s on s.id = g.slot_id
      join symbols y on y.symbol = s.symbol
      left join outcomes o on o.signal_id = g.id
     where t.message_id = ${messageId} order by g.seq`,
  );
}

/** Records the result of sending a message: sent, given up, dropped, or unknown (`doubtful`). */
export async function settleMessage(
  handle: DatabaseHandle,
  id: number,
  outcome: { state: "sent"; messageId: number } | { state: "doubtful" | "dead" | "dropped"; code: string },
): Promise<void> {
  const sent = outcome.state === "sent";
  await handle.execute(sql`
    update telegram_messages
       set state = ${outcome.state}, sending_since = null, message_id = ${sent ? outcome.messageId : null},
           sent_at = ${sent ? sql`clock_timestamp()` : sql`null`}, last_code = ${sent ? null : outcome.code}
     where id = ${id} and state = 'sending'`);
}

/** Schedules another attempt to send a message. `counts` false: this attempt does not count, as after a rate limit. */
export async function postponeMessage(
  handle: DatabaseHandle,
  id: number,
  wait: { delayMs: number; code: string; counts: boolean },
): Promise<void> {
  await handle.execute(sql`
    update telegram_messages
       set state = 'pending', sending_since = null, last_code = ${wait.code},
           attempts = attempts - ${wait.counts ? 0 : 1},
           next_attempt_at = clock_timestamp() + make_interval(secs => ${wait.delayMs / 1000})
     where id = ${id} and state = 'sending'`);
}

/** Replaces a chat's id by its new one in queued messages and in the alert settings of administrators. */
export async function replaceChatId(
  handle: DatabaseHandle,
  chat: { from: number; to: number },
): Promise<void> {
  await handle.execute(sql`
    with moved as (
      update telegram_messages set chat_id = ${chat.to}
       where chat_id = ${chat.from} and state in ('pending', 'sending'))
    update alert_settings set telegram_chat_id = ${chat.to} where telegram_chat_id = ${chat.from}`);
}

/** Clears the scheduled edit of a message, unless another edit was scheduled since the lease that ends at `leasedUntil`. */
export async function settleMessageEdit(
  handle: DatabaseHandle,
  id: number,
  leasedUntil: Date | null,
): Promise<void> {
  await handle.execute(sql`
    update telegram_messages set edit_due_at = null
     where id = ${id} and edit_due_at = ${(leasedUntil ?? new Date(0)).toISOString()}::timestamptz`);
}

/** Schedules another attempt to edit a message. */
export async function postponeMessageEdit(
  handle: DatabaseHandle,
  id: number,
  delayMs: number,
): Promise<void> {
  await handle.execute(sql`
    update telegram_messages set edit_due_at = clock_timestamp() + make_interval(secs => ${delayMs / 1000})
     where id = ${id} and edit_due_at is not null`);
}

/**
 * Marks messages as doubtful that have been in the state `sending` for longer than `seconds`, for example because their
 * process died: it is unknown whether they arrived. They are not sent again. Returns their number.
 */
export async function markMessagesDoubtful(handle: DatabaseHandle, seconds: number): Promise<number> {
  const rows = await handle.execute(sql`
    update telegram_messages set state = 'doubtful', sending_since = null, last_code = 'process_ended'
     where state = 'sending' and sending_since < clock_timestamp() - make_interval(secs => ${seconds})
    returning 1`);
  return rows.length;
}

const BOT = columns({
  pausedMs: number(
    "greatest(0, coalesce(extract(epoch from t.paused_until - clock_timestamp()) * 1000, 0))::float8",
  ),
  userName: text<string | null>("t.user_name"),
  lastCode: text<string | null>("t.last_code"),
});
export type BotState = Row<typeof BOT>;

/** The stored state of the Telegram bot: remaining pause of sending, user name, and error of the last call. */
export async function readBot(handle: DatabaseHandle): Promise<BotState> {
  return BOT.one(handle, sql`select ${BOT.list} from telegram_bot t where id = 1`);
}

/** Pauses all sending for `delayMs`, because Telegram requested it. */
export async function pauseBot(handle: DatabaseHandle, delayMs: number): Promise<void> {
  await handle.execute(sql`
    update telegram_bot
       set paused_until = greatest(paused_until, clock_timestamp() + make_interval(secs => ${delayMs / 1000}))`);
}

export interface TelegramUpdateReference {
  botId: number;
  updateId: number;
}

/**
 * Records that an update of Telegram is processed, in the transaction that processes it. Returns false if it was processed
 * before.
 */
export async function recordProcessedTelegramUpdate(
  handle: DatabaseHandle,
  { botId, updateId }: TelegramUpdateReference,
): Promise<boolean> {
  const rows = await handle.execute(sql`
    insert into telegram_updates (bot_id, update_id) values (${botId}, ${updateId}) on conflict do nothing returning 1`);
  return rows.length > 0;
}

/** Deletes the ids of updates older than two days, which Telegram no longer repeats. */
export async function deleteOldTelegramUpdates(handle: DatabaseHandle): Promise<void> {
  await handle.execute(sql`delete from telegram_updates where received_at < now() - interval '2 days'`);
}

const NEXT_UPDATE = columns({ id: safeInteger("coalesce(max(u.update_id) + 1, 0)") });

/**
 * Id of the update to request next: the one after the highest processed id; 0 requests all. After a week without updates
 * Telegram may continue with any id, even a lower one, but by then the processed ids are deleted.
 */
export async function readNextUpdateId(handle: DatabaseHandle, botId: number): Promise<number> {
  const next = await NEXT_UPDATE.one(
    handle,
    sql`select ${NEXT_UPDATE.list} from telegram_updates u where u.bot_id = ${botId}`,
  );
  return next.id;
}

/** Records the result of a call of Telegram (`code` null: it answered), and the bot's name if it is known. */
export async function recordTelegramCallResult(
  handle: DatabaseHandle,
  said: { code: string | null; userName?: string },
): Promise<void> {
  await handle.execute(sql`
    update telegram_bot
       set last_code = ${said.code}::text, user_name = coalesce(${said.userName ?? null}::text, user_name),
           answered_at = case when ${said.code}::text is null then clock_timestamp() else answered_at end`);
}

const COUNTS = columns({
  pending: number("(select count(*)::int from telegram_messages where state in ('pending', 'sending'))"),
  doubtful: number("(select count(*)::int from telegram_messages where state = 'doubtful')"),
  dead: number("(select count(*)::int from telegram_messages where state = 'dead')"),
  sent24h: number(
    "(select count(*)::int from telegram_messages where state = 'sent' and created_at > now() - interval '24 hours')",
  ),
  oldestPendingAt: timestampOrNull("(select min(created_at) from telegram_messages where state = 'pending')"),
  chats: number("(select count(*)::int from telegram_chats)"),
  lastCode: text<string | null>("(select last_code from telegram_bot)"),
});
export type TelegramCounts = Row<typeof COUNTS>;

/** Number of Telegram messages by state and of linked chats, and the error of the last call of Telegram. */
export async function readTelegramCounts(handle: DatabaseHandle): Promise<TelegramCounts> {
  return COUNTS.one(handle, sql`select ${COUNTS.list}`);
}
