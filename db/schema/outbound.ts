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
  ADDRESS_CHANNEL_NAMES,
  OUTBOUND_DELIVERY_STATES,
  RECIPIENT_EVENTS,
  TELEGRAM_MESSAGE_KINDS,
  TELEGRAM_MESSAGE_STATES,
  WEBHOOK_ENDPOINT_STATES,
  WEBHOOK_PAUSE_REASONS,
} from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";
import { slots } from "./market";
import { signals } from "./signals";
import { subscriptions } from "./subscriptions";

const bigNumber = (name: string) => bigint(name, { mode: "number" });

/** The worker's positions in the sequence of signals (`signals.seq`), except those of single receivers. */
export const outboundCursors = pgTable("outbound_cursors", {
  /** Name of the cursor. `results`: signals up to `seq` were added to the pending result events. */
  name: text("name").primaryKey(),
  seq: bigNumber("seq").notNull(),
});

/** Live signals whose result has not been announced to receivers yet. */
export const pendingResultEvents = pgTable("pending_result_events", {
  signalId: bigNumber("signal_id")
    .primaryKey()
    .references(() => signals.id),
});

/** The last announced champion of each slot. */
export const announcedChampions = pgTable("announced_champions", {
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
    /** The previous secret, with which deliveries are also signed until `former_secret_until`. */
    formerSecretEncrypted: text("former_secret_encrypted"),
    formerSecretUntil: instant("former_secret_until"),
    state: text("state", { enum: WEBHOOK_ENDPOINT_STATES }).notNull().default("active"),
    pauseReason: text("pause_reason", { enum: WEBHOOK_PAUSE_REASONS }),
    /** Cursor: signals up to this `signals.seq` are queued. */
    signalsUpTo: bigNumber("signals_up_to").notNull(),
    /** Number of consecutive failed attempts. Failing endpoints are served separately, so that they delay no others. */
    failures: integer("failures").notNull().default(0),
    /** When to send the next delivery; null: none is waiting. */
    nextAttemptAt: instant("next_attempt_at"),
    leasedUntil: instant("leased_until"),
    /** Number of the lease. Increases with each lease, so that a late result of an older lease is ignored. */
    turn: integer("turn").notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    // a subscriber's endpoints
    index("webhook_endpoints_subscription").on(t.subscriptionId),
    // endpoints with unqueued signals
    index("webhook_endpoints_behind").on(t.signalsUpTo).where(sql`state = 'active'`),
    // leaseEndpoints: the next endpoints to serve
    index("webhook_endpoints_due")
      .on(t.nextAttemptAt)
      .where(sql`state = 'active' and next_attempt_at is not null`),
    check("webhook_endpoints_state", oneOf(t.state, WEBHOOK_ENDPOINT_STATES)),
  ],
);

/** Deliveries of events to webhook endpoints. The body is the same in all attempts. */
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
    state: text("state", { enum: OUTBOUND_DELIVERY_STATES }).notNull().default("pending"),
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
    check("webhook_deliveries_state_word", oneOf(t.state, OUTBOUND_DELIVERY_STATES)),
  ],
);

/** Attempts to send deliveries, with the receivers' answers; the last 200 per endpoint are kept. */
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
    /** Why the attempt failed; null: the receiver accepted the delivery. */
    code: text("code"),
    ms: integer("ms").notNull(),
    /** The first kilobyte of the answer. */
    answer: text("answer").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    // an endpoint's last attempts
    index("webhook_attempts_endpoint").on(t.endpointId, t.id),
    // attempts of a delivery, which are deleted with it
    index("webhook_attempts_delivery").on(t.deliveryId),
  ],
);

/** Telegram chats that are linked to subscriptions, one per subscription. */
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
    /**
     * First quiet hour, 0 to 23 in the subscription's time zone: until `quiet_to`, messages arrive without sound. null: no
     * quiet hours.
     */
    quietFrom: smallint("quiet_from"),
    quietTo: smallint("quiet_to"),
    /** When the chat was notified that access has ended; null: access works, or its end was not announced yet. */
    endedAt: instant("ended_at"),
    /** Earliest time of the next message, because Telegram allows about one per second and chat. */
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

/** Tokens of links that connect a Telegram chat. Each works once, for ten minutes. Only the token's hash is stored. */
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
    // the links of a subscription, which a new link replaces
    index("telegram_links_subscription").on(t.subscriptionId),
  ],
);

/** Messages to Telegram chats: queue and history. */
export const telegramMessages = pgTable(
  "telegram_messages",
  {
    id: bigNumber("id").primaryKey().generatedAlwaysAsIdentity(),
    /** Identifies the message, so that it is queued once, even if its cause is repeated. */
    dedupeKey: text("dedupe_key").notNull(),
    /** The subscription of the chat; null: a reply to a chat that is not linked, or an alert to an owner. */
    subscriptionId: integer("subscription_id").references(() => subscriptions.id),
    chatId: bigNumber("chat_id").notNull(),
    kind: text("kind", { enum: TELEGRAM_MESSAGE_KINDS }).notNull(),
    /** Text of the message; null: written from its signals when it is sent. */
    text: text("text"),
    /** Buttons below the message. */
    buttons: jsonb("buttons").$type<TelegramButton[][]>(),
    state: text("state", { enum: TELEGRAM_MESSAGE_STATES }).notNull().default("pending"),
    attempts: integer("attempts").notNull().default(0),
    nextAttemptAt: instant("next_attempt_at").notNull().defaultNow(),
    /** When sending began. If no result is stored later, it is unknown whether the message arrived. */
    sendingSince: instant("sending_since"),
    /** Telegram's id of the message. */
    messageId: bigNumber("message_id"),
    /** When to edit the message, because the result of a signal is known; null: no edit is due. */
    editDueAt: instant("edit_due_at"),
    lastCode: text("last_code"),
    createdAt: createdAt(),
    sentAt: instant("sent_at"),
  },
  (t) => [
    // exactly one message per dedupe key
    uniqueIndex("telegram_messages_once").on(t.dedupeKey),
    // the next messages to send
    index("telegram_messages_due").on(t.nextAttemptAt).where(sql`state = 'pending'`),
    // messages that were being sent when a process died
    index("telegram_messages_sending").on(t.sendingSince).where(sql`state = 'sending'`),
    // the next messages to edit
    index("telegram_messages_edits").on(t.editDueAt).where(sql`edit_due_at is not null`),
    // a subscriber's messages, newest first
    index("telegram_messages_subscription").on(t.subscriptionId, t.id),
    // the administrator's figures by state; next rows for retention
    index("telegram_messages_state").on(t.state, t.createdAt),
    check("telegram_messages_state_word", oneOf(t.state, TELEGRAM_MESSAGE_STATES)),
    check("telegram_messages_kind", oneOf(t.kind, TELEGRAM_MESSAGE_KINDS)),
  ],
);

export interface TelegramButton {
  text: string;
  /** Data that Telegram returns when the button is pressed. */
  data: string;
}

/** The signals in a message, with the prices that it states. */
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

/** Updates from Telegram that were processed. Telegram may repeat an update for a day. */
export const telegramUpdates = pgTable(
  "telegram_updates",
  {
    /** Telegram's id of the bot. Each bot numbers its updates separately. */
    botId: bigNumber("bot_id").notNull(),
    updateId: bigNumber("update_id").notNull(),
    receivedAt: instant("received_at").notNull().defaultNow(),
  },
  (t) => [
    // one row per bot and update, so that each update is processed once
    primaryKey({ columns: [t.botId, t.updateId] }),
    // updates that are old enough to delete
    index("telegram_updates_received").on(t.receivedAt),
  ],
);

/** State of the Telegram bot, in one row. */
export const telegramBot = pgTable(
  "telegram_bot",
  {
    id: integer("id").primaryKey().default(1),
    /** Until when sending is paused, because Telegram requested it. */
    pausedUntil: instant("paused_until"),
    /** The bot's user name, for links to it; null: not known yet. */
    userName: text("user_name"),
    /** Time of the last recorded success of a call. Not every successful call is recorded. */
    answeredAt: instant("answered_at"),
    /**
     * Code of the failure that was recorded last, of a call or of Telegram's webhook; null: a success was recorded
     * since.
     */
    lastCode: text("last_code"),
  },
  (t) => [check("telegram_bot_single", sql`${t.id} = 1`)],
);

/** Recipients in channels such as Discord: a subscription's address there, and the events to send to it. */
export const channelRecipients = pgTable(
  "channel_recipients",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    channel: text("channel", { enum: ADDRESS_CHANNEL_NAMES }).notNull(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    /** The address, encrypted, because everyone who has an address such as a Discord webhook's can post to it. */
    addressEncrypted: text("address_encrypted").notNull(),
    /** The masked address for the portal. */
    hint: text("hint").notNull(),
    events: text("events", { enum: RECIPIENT_EVENTS }).array().notNull(),
    /**
     * First quiet hour, 0 to 23 in the subscription's time zone: until `quiet_to`, messages arrive without sound. null: no
     * quiet hours.
     */
    quietFrom: smallint("quiet_from"),
    quietTo: smallint("quiet_to"),
    state: text("state", { enum: WEBHOOK_ENDPOINT_STATES }).notNull().default("active"),
    /** Cursor: signals up to this `signals.seq` are queued. */
    signalsUpTo: bigNumber("signals_up_to").notNull(),
    /** Number of consecutive failed attempts. Failing recipients are served separately, so that they delay no others. */
    failures: integer("failures").notNull().default(0),
    lastCode: text("last_code"),
    /** When to send the next events; null: none is waiting. */
    nextAttemptAt: instant("next_attempt_at"),
    leasedUntil: instant("leased_until"),
    /** Number of the lease. Increases with each lease, so that a late result of an older lease is ignored. */
    turn: integer("turn").notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    // one recipient per subscription and channel; also a subscriber's recipients
    uniqueIndex("channel_recipients_once").on(t.subscriptionId, t.channel),
    // recipients with unqueued signals
    index("channel_recipients_behind").on(t.signalsUpTo).where(sql`state = 'active'`),
    // leaseRecipients: the next recipients to serve
    index("channel_recipients_due")
      .on(t.channel, t.nextAttemptAt)
      .where(sql`state = 'active' and next_attempt_at is not null`),
    check("channel_recipients_state", oneOf(t.state, WEBHOOK_ENDPOINT_STATES)),
    check("channel_recipients_quiet", sql`${t.quietFrom} between 0 and 23 and ${t.quietTo} between 0 and 23`),
  ],
);

/**
 * Events for recipients in channels. One message contains up to as many waiting events of a recipient as the channel
 * allows.
 */
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
    /** The event from which the message is written: a `ChannelEvent`. */
    content: jsonb("content").$type<Record<string, unknown>>().notNull(),
    state: text("state", { enum: TELEGRAM_MESSAGE_STATES }).notNull().default("pending"),
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
    check("channel_deliveries_state_word", oneOf(t.state, TELEGRAM_MESSAGE_STATES)),
  ],
);
