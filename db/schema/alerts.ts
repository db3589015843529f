import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { ALERT_METHODS, ALERT_TOPICS, OUTBOUND_DELIVERY_STATES } from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";
import { administrators } from "./people";

/** An owner's alert topics and delivery method. */
export const alertSettings = pgTable(
  "alert_settings",
  {
    administratorId: integer("administrator_id")
      .primaryKey()
      .references(() => administrators.id),
    topics: text("topics", { enum: ALERT_TOPICS }).array().notNull(),
    way: text("way", { enum: ALERT_METHODS }).notNull(),
    telegramChatId: bigint("telegram_chat_id", { mode: "number" }),
    webhookUrl: text("webhook_url"),
    /** Signing secret of the webhook, encrypted. */
    webhookSecretEncrypted: text("webhook_secret_encrypted"),
    timeZone: text("time_zone").notNull().default("UTC"),
    /** First quiet hour, 0 to 23 in `time_zone`. Alerts of quiet hours are sent after them. null: no quiet hours. */
    quietFrom: smallint("quiet_from"),
    /** Hour at which the quiet hours end, 0 to 23 in `time_zone`. */
    quietTo: smallint("quiet_to"),
    updatedAt: instant("updated_at").notNull().defaultNow(),
  },
  (t) => [
    check("alert_settings_way", oneOf(t.way, ALERT_METHODS)),
    check("alert_settings_quiet", sql`${t.quietFrom} between 0 and 23 and ${t.quietTo} between 0 and 23`),
  ],
);

/** Episodes of alerts: periods in which an alert fired, or single events. */
export const alertEpisodes = pgTable(
  "alert_episodes",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    topic: text("topic", { enum: ALERT_TOPICS }).notNull(),
    /** Identifies a single event; empty for an alert about a state, which may recur. */
    subject: text("subject").notNull().default(""),
    title: text("title").notNull(),
    text: text("text").notNull(),
    /** Path of the administrator's page about the alert. */
    path: text("path").notNull(),
    openedAt: instant("opened_at").notNull(),
    closedAt: instant("closed_at"),
  },
  (t) => [
    // one open episode per topic about a state, however many workers check
    uniqueIndex("alert_episodes_open").on(t.topic).where(sql`subject = '' and closed_at is null`),
    // each event once
    uniqueIndex("alert_episodes_once").on(t.topic, t.subject).where(sql`subject <> ''`),
    // the newest episodes; next rows for retention
    index("alert_episodes_opened").on(t.openedAt),
    // episodes that may still need a notification
    index("alert_episodes_closed").on(t.closedAt),
    check("alert_episodes_topic", oneOf(t.topic, ALERT_TOPICS)),
  ],
);

/** Alert notifications to owners. `round`: 0 the first one about an episode, 1 and up daily reminders, -1 its end. */
export const alertNotifications = pgTable(
  "alert_notifications",
  {
    administratorId: integer("administrator_id")
      .notNull()
      .references(() => administrators.id),
    episodeId: integer("episode_id")
      .notNull()
      .references(() => alertEpisodes.id, { onDelete: "cascade" }),
    round: smallint("round").notNull(),
    at: instant("at").notNull().defaultNow(),
  },
  (t) => [
    // exactly one notification per episode, owner and round
    primaryKey({ columns: [t.administratorId, t.episodeId, t.round] }),
    // notifications about an episode, which are deleted with it
    index("alert_notifications_episode").on(t.episodeId),
  ],
);

/** Alerts for owners' webhooks: queue and history. */
export const alertWebhookPosts = pgTable(
  "alert_posts",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    administratorId: integer("administrator_id")
      .notNull()
      .references(() => administrators.id),
    body: text("body").notNull(),
    state: text("state", { enum: OUTBOUND_DELIVERY_STATES }).notNull().default("pending"),
    attempts: integer("attempts").notNull().default(0),
    nextAttemptAt: instant("next_attempt_at").notNull().defaultNow(),
    lastCode: text("last_code"),
    createdAt: createdAt(),
  },
  (t) => [
    // the next alert to send
    index("alert_posts_due").on(t.nextAttemptAt).where(sql`state = 'pending'`),
    // the newest posts to an owner's webhook
    index("alert_posts_administrator").on(t.administratorId, t.id),
    check("alert_posts_state", oneOf(t.state, OUTBOUND_DELIVERY_STATES)),
  ],
);
