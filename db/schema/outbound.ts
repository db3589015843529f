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

/** How far the worker has come for all receivers together. */
export const outboundCursors = pgTable("outbound_cursors", {
  /** `results`: up to which signal the list of untold results is filled. */
  name: text("name").primaryKey(),
  seq: bigNumber("seq").notNull(),
});

/** Signals that were published and whose result was told to nobody yet. */
export const pendingResultEvents = pgTable("untold_results", {
  signalId: bigNumber("signal_id")
    .primaryKey()
    .references(() => signals.id),
});

/** The champion of each slot as it was told last. */
export const announcedChampions = pgTable("told_champions", {
  slotId: integer("slot_id")
    .primaryKey()
    .references(() => slots.id),
  modelV: text("model_v").notNull(),
});

/** Addresses of subscribers to which events are sent. */
export const webhookEndpoints = pgTable(
  "webhook_endpoints",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    url: text("url").notNull(),
    events: text("events").array().notNull(),
    /** What deliveries are signed with, encrypted, because it must be read again for each. */
    secretEncrypted: text("secret_encrypted").notNull(),
    /** The secret that was replaced: deliveries carry a signature of it, too, until its end. */
    formerSecretEncrypted: text("former_secret_encrypted"),
    formerSecretUntil: instant("former_secret_until"),
    state: text("state", { enum: ENDPOINT_STATES }).notNull().default("active"),
    pauseReason: text("pause_reason", { enum: PAUSE_REASONS }),
    /** Signals up to this number have their deliveries. */
    signalsUpTo: bigNumber("signals_up_to").notNull(),
    /** Tries in a row that failed: failing receivers share places of their own. */
    failures: integer("failures").notNull().default(0),
    /** null: nothing waits. */
    nextAttemptAt: instant("next_attempt_at"),
    leasedUntil: instant("leased_until"),
    /** Grows with each lease, so that a late result of an older one changes nothing. */
    turn: integer("turn").notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    // a subscriber's endpoints
    index("webhook_endpoints_subscription").on(t.subscriptionId),
    // endpoints that the newest signals were not queued for yet
    index("webhook_endpoints_behind").on(t.signalsUpTo).where(sql`state = 'active'`),
    // leaseEndpoints: which the worker serves next
    index("webhook_endpoints_due")
      .on(t.nextAttemptAt)
      .where(sql`state = 'active' and next_attempt_at is not null`),
    check("webhook_endpoints_state", oneOf(t.state, ENDPOINT_STATES)),
  ],
);

/** An event for one endpoint. The body stays as it is over all tries. */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    id: bigNumber("id").primaryKey().generatedAlwaysAsIdentity(),
    endpointId: integer("endpoint_id")
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: "cascade" }),
    event: text("event").notNull(),
    /** What the event is about, such as the number of a signal. */
    subject: text("subject").notNull(),
    /** The slot by which scope is judged when it is sent; null: the event is of no slot. */
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
    // the oldest that waits for an endpoint
    index("webhook_deliveries_waiting").on(t.endpointId, t.id).where(sql`state = 'pending'`),
    // the test that waits for an endpoint, which goes before all else
    index("webhook_deliveries_tests")
      .on(t.endpointId)
      .where(sql`state = 'pending' and event = 'endpoint.test'`),
    // the administrator's figures by state, and what is old enough to be deleted
    index("webhook_deliveries_state").on(t.state, t.createdAt),
    check("webhook_deliveries_state_word", oneOf(t.state, DELIVERY_STATES)),
  ],
);

/** Each try of a delivery with what the receiver answered; the last 200 of an endpoint are kept. */
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
    /** HTTP status; null: there was no answer. */
    status: integer("status"),
    /** Why it failed; null: it was taken. */
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
    /** What the person is called in Telegram, to recognise the chat in the portal. */
    name: text("name"),
    signalsUpTo: bigNumber("signals_up_to").notNull(),
    /** Slots that the person switched off. */
    mutedSlots: integer("muted_slots").array().notNull().default([]),
    withNoTrade: boolean("with_no_trade").notNull().default(false),
    /** Hours on the subscription's clock in which messages make no sound. */
    quietFrom: smallint("quiet_from"),
    quietTo: smallint("quiet_to"),
    /** Since when access is over, which was said; null while it works. */
    endedAt: instant("ended_at"),
    /** When the next message may go out: one a second. */
    nextSendAt: instant("next_send_at").notNull().defaultNow(),
    linkedAt: instant("linked_at").notNull().defaultNow(),
  },
  (t) => [
    // chats that the newest signals were not queued for yet
    index("telegram_chats_behind").on(t.signalsUpTo),
    // one chat hears of one subscription
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
    // a new link replaces the former ones of its subscription
    index("telegram_links_subscription").on(t.subscriptionId),
  ],
);

/** Messages to chats: the queue and what was sent. */
export const telegramMessages = pgTable(
  "telegram_messages",
  {
    id: bigNumber("id").primaryKey().generatedAlwaysAsIdentity(),
    /** Names the effect: queued once, however often its cause is repeated. */
    dedupeKey: text("dedupe_key").notNull(),
    /** null: an answer to a chat that is not linked. */
    subscriptionId: integer("subscription_id").references(() => subscriptions.id),
    chatId: bigNumber("chat_id").notNull(),
    kind: text("kind", { enum: TELEGRAM_KINDS }).notNull(),
    /** null: it is written from its signals when it is sent. */
    text: text("text"),
    /** Buttons below the message. */
    buttons: jsonb("buttons").$type<TelegramButton[][]>(),
    state: text("state", { enum: TELEGRAM_STATES }).notNull().default("pending"),
    attempts: integer("attempts").notNull().default(0),
    nextAttemptAt: instant("next_attempt_at").notNull().defaultNow(),
    /** Since when it is on its way: where that is not followed by a result, nobody knows whether it arrived. */
    sendingSince: instant("sending_since"),
    /** Telegram's number of the message. */
    messageId: bigNumber("message_id"),
    /** When it is to be written anew, because a result is known; null: it is as it should be. */
    editDueAt: instant("edit_due_at"),
    lastCode: text("last_code"),
    createdAt: createdAt(),
    sentAt: instant("sent_at"),
  },
  (t) => [
    // exactly one message per effect
    uniqueIndex("telegram_messages_once").on(t.dedupeKey),
    // what is sent next
    index("telegram_messages_due").on(t.nextAttemptAt).where(sql`state = 'pending'`),
    // what was on its way when a process died
    index("telegram_messages_sending").on(t.sendingSince).where(sql`state = 'sending'`),
    // what is written anew next
    index("telegram_messages_edits").on(t.editDueAt).where(sql`edit_due_at is not null`),
    // what a subscriber was sent, newest first
    index("telegram_messages_subscription").on(t.subscriptionId, t.id),
    // the administrator's figures by state, and what is old enough to be deleted
    index("telegram_messages_state").on(t.state, t.createdAt),
    check("telegram_messages_state_word", oneOf(t.state, TELEGRAM_STATES)),
    check("telegram_messages_kind", oneOf(t.kind, TELEGRAM_KINDS)),
  ],
);

export interface TelegramButton {
  text: string;
  /** What Telegram sends back when it is pressed. */
  data: string;
}

/** The signals of a message, with their prices as of the candle. */
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
    // a subscriber is told of a signal once
    uniqueIndex("telegram_message_signals_once").on(t.subscriptionId, t.signalId),
    // the messages that tell of a signal: written anew with its result
    index("telegram_message_signals_signal").on(t.signalId),
  ],
);

/** Updates of Telegram that were done. It keeps them for a day and may send each of them again. */
export const telegramUpdates = pgTable(
  "telegram_updates",
  {
    /** Another bot counts from another number. */
    botId: bigNumber("bot_id").notNull(),
    updateId: bigNumber("update_id").notNull(),
    receivedAt: instant("received_at").notNull().defaultNow(),
  },
  (t) => [
    // each update is done once
    primaryKey({ columns: [t.botId, t.updateId] }),
    // what is old enough to be forgotten
    index("telegram_updates_received").on(t.receivedAt),
  ],
);

/** What the bot has to remember. One row. */
export const telegramBot = pgTable(
  "telegram_bot",
  {
    id: integer("id").primaryKey().default(1),
    /** Read by the release before this one alone. */
    nextUpdateId: bigNumber("next_update_id").notNull().default(0),
    /** Telegram asked to send nothing before this. */
    pausedUntil: instant("paused_until"),
    /** The bot's name, for links to it; null before it was asked. */
    userName: text("user_name"),
    /** When Telegram answered last. */
    answeredAt: instant("answered_at"),
    /** Why it did not, when it did not. */
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
    /** Encrypted: an address such as that of a Discord webhook lets its holder write. */
    addressEncrypted: text("address_encrypted").notNull(),
    /** What the portal shows of the address. */
    hint: text("hint").notNull(),
    events: text("events", { enum: CHANNEL_EVENTS }).array().notNull(),
    /** Hours on the subscription's time zone in which messages make no sound. */
    quietFrom: smallint("quiet_from"),
    quietTo: smallint("quiet_to"),
    state: text("state", { enum: ENDPOINT_STATES }).notNull().default("active"),
    /** Signals up to this number have their deliveries. */
    signalsUpTo: bigNumber("signals_up_to").notNull(),
    /** Tries in a row that failed: failing recipients share places of their own. */
    failures: integer("failures").notNull().default(0),
    lastCode: text("last_code"),
    /** null: nothing waits. */
    nextAttemptAt: instant("next_attempt_at"),
    leasedUntil: instant("leased_until"),
    /** Grows with each lease, so that a late result of an older one changes nothing. */
    turn: integer("turn").notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    // one recipient of a subscription in a channel; also a subscriber's recipients
    uniqueIndex("channel_recipients_once").on(t.subscriptionId, t.channel),
    // recipients that the newest signals were not queued for yet
    index("channel_recipients_behind").on(t.signalsUpTo).where(sql`state = 'active'`),
    // leaseRecipients: which the worker serves next
    index("channel_recipients_due")
      .on(t.channel, t.nextAttemptAt)
      .where(sql`state = 'active' and next_attempt_at is not null`),
    check("channel_recipients_state", oneOf(t.state, ENDPOINT_STATES)),
    check("channel_recipients_quiet", sql`${t.quietFrom} between 0 and 23 and ${t.quietTo} between 0 and 23`),
  ],
);

/** An event for one recipient of a channel. Those that wait together leave in one message. */
export const channelDeliveries = pgTable(
  "channel_deliveries",
  {
    id: bigNumber("id").primaryKey().generatedAlwaysAsIdentity(),
    recipientId: integer("recipient_id")
      .notNull()
      .references(() => channelRecipients.id, { onDelete: "cascade" }),
    event: text("event").notNull(),
    /** What the event is about, such as the number of a signal. */
    subject: text("subject").notNull(),
    /** The slot by which scope is judged when it leaves; null: the event is of no slot. */
    slotId: integer("slot_id").references(() => slots.id),
    /** What the message is written from: a `ChannelEvent`. */
    content: jsonb("content").$type<Record<string, unknown>>().notNull(),
    state: text("state", { enum: TELEGRAM_STATES }).notNull().default("pending"),
    attempts: integer("attempts").notNull().default(0),
    lastCode: text("last_code"),
    createdAt: createdAt(),
    settledAt: instant("settled_at"),
  },
  (t) => [
    // a recipient is told of an event once
    uniqueIndex("channel_deliveries_once").on(t.recipientId, t.event, t.subject),
    // what waits for a recipient, in order, and what was on its way when a process died
    index("channel_deliveries_waiting").on(t.recipientId, t.id).where(sql`state in ('pending', 'sending')`),
    // what a recipient was sent, newest first
    index("channel_deliveries_recipient").on(t.recipientId, t.id),
    // the administrator's figures by state, and what is old enough to be deleted
    index("channel_deliveries_state").on(t.state, t.createdAt),
    check("channel_deliveries_state_word", oneOf(t.state, TELEGRAM_STATES)),
  ],
);
