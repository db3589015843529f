import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import {
  CHANNEL_EVENTS,
  CHANNELS,
  DELIVERY_STATES,
  ENDPOINT_STATES,
  PAUSE_REASONS,
  TELEGRAM_KINDS,
  TELEGRAM_STATES,
} from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";
import { slots } from "./market";
import { signals } from "./signals";
import { subscriptions } from "./subscriptions";

const bigNumber = (name: string) => bigint(name, { mode: "number" });

/** Worker cursors that are shared by all receivers. */
export const outboundCursors = pgTable("outbound_cursors", {
  /** `results`: the signal up to which pending results were added. */
  name: text("name").primaryKey(),
  seq: bigNumber("seq").notNull(),
});

/** Published signals whose result was not announced yet. */
export const pendingResultEvents = pgTable("untold_results", {
  signalId: bigNumber("signal_id")
    .primaryKey()
    .references(() => signals.id),
});

/** The last announced champion of each slot. */
export const announcedChampions = pgTable("told_champions", {
  slotId: integer("slot_id")
    .primaryKey()
    .references(() => slots.id),
  modelV: text("model_v").notNull(),
});

/** Webhook endpoints of subscribers. */
export const webhookEndpoints = pgTable(
  "webhook_endpoints",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    url: text("url").notNull(),
    events: text("events").array().notNull(),
    /** Signing secret of deliveries, encrypted, because each delivery needs it. */
    secretEncrypted: text("secret_encrypted").notNull(),
    /** The previous secret, whose signature deliveries also carry until its end. */
    formerSecretEncrypted: text("former_secret_encrypted"),
    formerSecretUntil: instant("former_secret_until"),
    state: text("state", { enum: ENDPOINT_STATES }).notNull().default("active"),
    pauseReason: text("pause_reason", { enum: PAUSE_REASONS }),
    /** Cursor: signals up to this number are queued. */
    signalsUpTo: bigNumber("signals_up_to").notNull(),
    /** Consecutive failed attempts: failing receivers share a separate lane. */
    failures: integer("failures").notNull().default(0),
    /** null: nothing is waiting. */
    nextAttemptAt: instant("next_attempt_at"),
    leasedUntil: instant("leased_until"),
    /** Increases with each lease, so that a late result of an older one is ignored. */
    turn: integer("turn").notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    // a subscriber's endpoints
    index("webhook_endpoints_subscription").on(t.subscriptionId),
    // endpoints with unqueued signals
    index("webhook_endpoints_behind").on(t.signalsUpTo).where(sql`state = 'active'`),
    // leaseEndpoints: next to serve
    index("webhook_endpoints_due")
      .on(t.nextAttemptAt)
      .where(sql`state = 'active' and next_attempt_at is not null`),
    check("webhook_endpoints_state", oneOf(t.state, ENDPOINT_STATES)),
  ],
);

/** An event for one endpoint. The body is the same in all attempts. */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    id: bigNumber("id").primaryKey().generatedAlwaysAsIdentity(),
    endpointId: integer("endpoint_id")
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: "cascade" }),
    event: text("event").notNull(),
    /** Subject of the event, such as the number of a signal. */
    subject: text("subject").notNull(),
    /** Slot for the scope check at sending; null: the event has no slot. */
    slotId: integer("slot_id").references(() => slots.id),
    body: text("body").notNull(),
    state: text("state", { enum: DELIVERY_STATES }).notNull().default("pending"),
    attempts: integer("attempts").notNull().default(0),
    lastCode: text("last_code"),
    createdAt: createdAt(),
    settledAt: instant("settled_at"),
  },
  (t) => [
    // exactly one delivery of an event to an endpoint
    uniqueIndex("webhook_deliveries_once").on(t.endpointId, t.event, t.subject),
    // the oldest waiting delivery of an endpoint
    index("webhook_deliveries_waiting").on(t.endpointId, t.id).where(sql`state = 'pending'`),
    // the waiting test of an endpoint, which goes first
    index("webhook_deliveries_tests")
      .on(t.endpointId)
      .where(sql`state = 'pending' and event = 'endpoint.test'`),
    // the administrator's figures by state; next rows for retention
    index("webhook_deliveries_state").on(t.state, t.createdAt),
    check("webhook_deliveries_state_word", oneOf(t.state, DELIVERY_STATES)),
  ],
);

/** Each attempt of a delivery with the receiver's answer; the last 200 per endpoint are kept. */
export const webhookAttempts = pgTable(
  "webhook_attempts",
  {
    id: bigNumber("id").primaryKey().generatedAlwaysAsIdentity(),
    endpointId: integer("endpoint_id")
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: "cascade" }),
    deliveryId: bigNumber("delivery_id")
      .notNull()
      .references(() => webhookDeliveries.id, { onDelete: "cascade" }),
    /** HTTP status; null: no answer. */
    status: integer("status"),
    /** Why it failed; null: it was accepted. */
    code: text("code"),
    ms: integer("ms").notNull(),
    /** The first kilobyte of the answer. */
    answer: text("answer").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    // an endpoint's last attempts
    index("webhook_attempts_endpoint").on(t.endpointId, t.id),
    // deleted with their delivery
    index("webhook_attempts_delivery").on(t.deliveryId),
  ],
);

/** The Telegram chat of a subscription. */
export const telegramChats = pgTable(
  "telegram_chats",
  {
    subscriptionId: integer("subscription_id")
      .primaryKey()
      .references(() => subscriptions.id),
    chatId: bigNumber("chat_id").notNull(),
    /** The person's name in Telegram, shown in the portal. */
    name: text("name"),
    signalsUpTo: bigNumber("signals_up_to").notNull(),
    /** Slots that the person muted. */
    mutedSlots: integer("muted_slots").array().notNull().default([]),
    withNoTrade: boolean("with_no_trade").notNull().default(false),
    /** Quiet hours in the subscription's time zone, without sound. */
    quietFrom: smallint("quiet_from"),
    quietTo: smallint("quiet_to"),
    /** Since when access has ended and the chat was notified; null: it works. */
    endedAt: instant("ended_at"),
    /** Earliest time of the next message: one per second. */
    nextSendAt: instant("next_send_at").notNull().defaultNow(),
    linkedAt: instant("linked_at").notNull().defaultNow(),
  },
  (t) => [
    // chats with unqueued signals
    index("telegram_chats_behind").on(t.signalsUpTo),
    // one subscription per chat
    uniqueIndex("telegram_chats_chat").on(t.chatId),
    check("telegram_chats_quiet", sql`${t.quietFrom} between 0 and 23 and ${t.quietTo} between 0 and 23`),
  ],
);

/** Tokens of deep links: each works once, for ten minutes. Only a hash is stored. */
export const telegramLinks = pgTable(
  "telegram_links",
  {
    tokenHash: text("token_hash").primaryKey(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    expiresAt: instant("expires_at").notNull(),
  },
  (t) => [
    // a new link replaces earlier ones of its subscription
    index("telegram_links_subscription").on(t.subscriptionId),
  ],
);

/** Messages to chats: queue and history. */
export const telegramMessages = pgTable(
  "telegram_messages",
  {
    id: bigNumber("id").primaryKey().generatedAlwaysAsIdentity(),
    /** Identifies the effect: queued once, however often its cause is repeated. */
    dedupeKey: text("dedupe_key").notNull(),
    /** null: a reply to an unlinked chat. */
    subscriptionId: integer("subscription_id").references(() => subscriptions.id),
    chatId: bigNumber("chat_id").notNull(),
    kind: text("kind", { enum: TELEGRAM_KINDS }).notNull(),
    /** null: rendered from its signals when it is sent. */
    text: text("text"),
    /** Buttons below the message. */
    buttons: jsonb("buttons").$type<TelegramButton[][]>(),
    state: text("state", { enum: TELEGRAM_STATES }).notNull().default("pending"),
    attempts: integer("attempts").notNull().default(0),
    nextAttemptAt: instant("next_attempt_at").notNull().defaultNow(),
    /** Since when it is being sent: without a later result it is in doubt. */
    sendingSince: instant("sending_since"),
    /** Telegram's id of the message. */
    messageId: bigNumber("message_id"),
    /** When an edit is due, because a result is known; null: none. */
    editDueAt: instant("edit_due_at"),
    lastCode: text("last_code"),
    createdAt: createdAt(),
    sentAt: instant("sent_at"),
  },
  (t) => [
    // exactly one message per effect
    uniqueIndex("telegram_messages_once").on(t.dedupeKey),
    // next to send
    index("telegram_messages_due").on(t.nextAttemptAt).where(sql`state = 'pending'`),
    // messages that were being sent when a process died
    index("telegram_messages_sending").on(t.sendingSince).where(sql`state = 'sending'`),
    // next edits
    index("telegram_messages_edits").on(t.editDueAt).where(sql`edit_due_at is not null`),
    // a subscriber's messages, newest first
    index("telegram_messages_subscription").on(t.subscriptionId, t.id),
    // the administrator's figures by state; next rows for retention
    index("telegram_messages_state").on(t.state, t.createdAt),
    check("telegram_messages_state_word", oneOf(t.state, TELEGRAM_STATES)),
    check("telegram_messages_kind", oneOf(t.kind, TELEGRAM_KINDS)),
  ],
);

export interface TelegramButton {
  text: string;
  /** Data that Telegram returns when the button is pressed. */
  data: string;
}

/** The signals of a message, with their prices at the candle. */
export const telegramMessageSignals = pgTable(
  "telegram_message_signals",
  {
    messageId: bigNumber("message_id")
      .notNull()
      .references(() => telegramMessages.id, { onDelete: "cascade" }),
    signalId: bigNumber("signal_id")
      .notNull()
      .references(() => signals.id),
    subscriptionId: integer("subscription_id").notNull(),
    entryPrice: doublePrecision("entry_price"),
    targetPrice: doublePrecision("target_price"),
    stopPrice: doublePrecision("stop_price"),
  },
  (t) => [
    primaryKey({ columns: [t.messageId, t.signalId] }),
    // one message per subscriber and signal
    uniqueIndex("telegram_message_signals_once").on(t.subscriptionId, t.signalId),
    // the messages of a signal, which are edited with its result
    index("telegram_message_signals_signal").on(t.signalId),
  ],
);

/** Processed updates of Telegram, which keeps updates for a day and may repeat them. */
export const telegramUpdates = pgTable(
  "telegram_updates",
  {
    /** Each bot has its own numbering. */
    botId: bigNumber("bot_id").notNull(),
    updateId: bigNumber("update_id").notNull(),
    receivedAt: instant("received_at").notNull().defaultNow(),
  },
  (t) => [
    // each update is processed once
    primaryKey({ columns: [t.botId, t.updateId] }),
    // old enough for deletion
    index("telegram_updates_received").on(t.receivedAt),
  ],
);

/** State of the bot. One row. */
export const telegramBot = pgTable(
  "telegram_bot",
  {
    id: integer("id").primaryKey().default(1),
    /** Only read by the previous release. */
    nextUpdateId: bigNumber("next_update_id").notNull().default(0),
    /** Telegram requested a pause until this time. */
    pausedUntil: instant("paused_until"),
    /** The bot's name, for links; null: not known yet. */
    userName: text("user_name"),
    /** Telegram's last answer. */
    answeredAt: instant("answered_at"),
    /** Why the last call failed; null: it did not. */
    lastCode: text("last_code"),
  },
  (t) => [check("telegram_bot_single", sql`${t.id} = 1`)],
);

/** A subscription's address in a channel such as Discord, and the events sent there. */
export const channelRecipients = pgTable(
  "channel_recipients",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    channel: text("channel", { enum: CHANNELS }).notNull(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    /** Encrypted, because the holder of an address such as a Discord webhook's can post to it. */
    addressEncrypted: text("address_encrypted").notNull(),
    /** The masked address for the portal. */
    hint: text("hint").notNull(),
    events: text("events", { enum: CHANNEL_EVENTS }).array().notNull(),
    /** Quiet hours in the subscription's time zone, without sound. */
    quietFrom: smallint("quiet_from"),
    quietTo: smallint("quiet_to"),
    state: text("state", { enum: ENDPOINT_STATES }).notNull().default("active"),
    /** Cursor: signals up to this number are queued. */
    signalsUpTo: bigNumber("signals_up_to").notNull(),
    /** Consecutive failed attempts: failing recipients share a separate lane. */
    failures: integer("failures").notNull().default(0),
    lastCode: text("last_code"),
    /** null: nothing is waiting. */
    nextAttemptAt: instant("next_attempt_at"),
    leasedUntil: instant("leased_until"),
    /** Increases with each lease, so that a late result of an older one is ignored. */
    turn: integer("turn").notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    // one recipient per subscription and channel; also a subscriber's recipients
    uniqueIndex("channel_recipients_once").on(t.subscriptionId, t.channel),
    // recipients with unqueued signals
    index("channel_recipients_behind").on(t.signalsUpTo).where(sql`state = 'active'`),
    // leaseRecipients: the recipient to serve next
    index("channel_recipients_due")
      .on(t.channel, t.nextAttemptAt)
      .where(sql`state = 'active' and next_attempt_at is not null`),
    check("channel_recipients_state", oneOf(t.state, ENDPOINT_STATES)),
    check("channel_recipients_quiet", sql`${t.quietFrom} between 0 and 23 and ${t.quietTo} between 0 and 23`),
  ],
);

/** An event for one recipient of a channel. Events that wait together are sent as one message. */
export const channelDeliveries = pgTable(
  "channel_deliveries",
  {
    id: bigNumber("id").primaryKey().generatedAlwaysAsIdentity(),
    recipientId: integer("recipient_id")
      .notNull()
      .references(() => channelRecipients.id, { onDelete: "cascade" }),
    event: text("event").notNull(),
    /** Subject of the event, such as the number of a signal. */
    subject: text("subject").notNull(),
    /** Slot for the scope check at sending; null: the event has no slot. */
    slotId: integer("slot_id").references(() => slots.id),
    /** Input of the message: a `ChannelEvent`. */
    content: jsonb("content").$type<Record<string, unknown>>().notNull(),
    state: text("state", { enum: TELEGRAM_STATES }).notNull().default("pending"),
    attempts: integer("attempts").notNull().default(0),
    lastCode: text("last_code"),
    createdAt: createdAt(),
    settledAt: instant("settled_at"),
  },
  (t) => [
    // one delivery per recipient and event
    uniqueIndex("channel_deliveries_once").on(t.recipientId, t.event, t.subject),
    // waiting deliveries of a recipient in order, and those being sent when a process died
    index("channel_deliveries_waiting").on(t.recipientId, t.id).where(sql`state in ('pending', 'sending')`),
    // deliveries of a recipient, newest first
    index("channel_deliveries_recipient").on(t.recipientId, t.id),
    // the administrator's figures by state; next rows for retention
    index("channel_deliveries_state").on(t.state, t.createdAt),
    check("channel_deliveries_state_word", oneOf(t.state, TELEGRAM_STATES)),
  ],
);
