import { sql } from "drizzle-orm";
import { bigint, check, index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { type ClockKind, MOST_DELAY_CANDLES } from "@/lib/vocabulary";
import { createdAt, instant, seenSpans } from "./columns";
import { personText, personWords } from "./folding";
import { plans } from "./plans";

/**
 * Someone's access, outliving every key of it. Executions, counters, heartbeat and history belong here.
 * Row 0 is the owner of the installation, whose key stands in the environment.
 */
export const subscriptions = pgTable(
  "subscriptions",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    userName: text("user_name").notNull(),
    /** As the buyer spelt it, for sending. null: no mail, sign-in by key only. */
    email: text("email"),
    /** Trimmed and lower-cased: the identity. */
    emailNormalized: text("email_normalized"),
    notes: text("notes"),
    /** For searches for any part of these. Folding 100,000 accented names at each search takes over a second. */
    searchText: text("search_text").generatedAlwaysAs(personText()),
    /** Portal preferences: display name, time zone, which mails. */
    preferences: jsonb("preferences").$type<SubscriptionPreferences>().notNull().default({}),
    /** When the person had their account deleted: what is left names nobody. */
    erasedAt: instant("erased_at"),
    createdAt: createdAt(),
  },
  (t) => [
    // lockKeysByEmail, findNewestSubscription, listOwnSubscriptions: provisioning, revocation and sign-in by address
    index("subscriptions_email").on(t.emailNormalized),
    // those who want a mail when a model changes
    index("subscriptions_model_mails").on(t.id).where(sql`${t.preferences} ->> 'mailModels' = 'true'`),
    // the operator's search: what an address begins with
    index("subscriptions_email_prefix").on(t.emailNormalized.op("text_pattern_ops")),
    // the operator's search: what any word of a name or an address begins with
    index("subscriptions_words").using("gin", personWords()),
    // accounts that were deleted lately, and whose invoices go next
    index("subscriptions_erased").on(t.erasedAt).where(sql`erased_at is not null`),
    // the same for a name
    index("subscriptions_name_prefix").on(sql`lower(${t.userName}) text_pattern_ops`),
  ],
);

export interface SubscriptionPreferences {
  displayName?: string;
  timeZone?: string;
  /** Minutes that the broker's clock is ahead of UTC. */
  brokerOffsetMinutes?: number;
  clock?: ClockKind;
  mailReminders?: boolean;
  mailEaOffline?: boolean;
  /** Only who asks for it hears of changed models by mail. */
  mailModels?: boolean;
  /** What the operator has to say to many. */
  mailNotices?: boolean;
  /** Whether incidents and pauses on the status page are also sent by mail. Off by default. */
  mailIncidents?: boolean;
}

/** Plans in force together, the highest first, until an instant in ISO 8601; null: without an end. */
export interface StoredStretch {
  plans: string[];
  until: string | null;
}

/** A key and the grant that it carries. Only a hash and a hint of the key itself are stored. */
export const apiKeys = pgTable(
  "api_keys",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    /** SHA-256 of the lower-case key, hexadecimal. */
    keyHash: text("key_hash").notNull(),
    hint: text("hint").notNull(),
    /** As of the last change of the ledger; `stretches` say what is in force by the clock. */
    planTier: text("plan_tier")
      .notNull()
      .references(() => plans.name),
    /** Which plans are in force until when, in order; null: `plan_tier` alone until the end. */
    stretches: jsonb("stretches").$type<StoredStretch[]>(),
    /** null: never expires. Exactly at this instant the key is expired. */
    expiresAt: instant("expires_at"),
    symbolsAllowed: text("symbols_allowed").array(),
    tfsAllowed: text("tfs_allowed").array(),
    /** null: the plan's own limit. */
    rateLimitPerMin: integer("rate_limit_per_min"),
    /** A try-out key: it sees a signal this many candles after the close of its own. null: at once. */
    delayCandles: integer("delay_candles"),
    revokedAt: instant("revoked_at"),
    rotatedAt: instant("rotated_at"),
    /** Since when the key is held back by hand; unlike a revocation this can be undone. */
    suspendedAt: instant("suspended_at"),
    /** The invoice whose chargeback switched it off, as long as winning that would switch it on again. */
    revokedByInvoice: text("revoked_by_invoice"),
    createdAt: createdAt(),
  },
  (t) => [
    // findKeysByHash: every authenticated request
    uniqueIndex("api_keys_hash").on(t.keyHash),
    // keys of one subscription: rotation, revocation by e-mail, portal
    index("api_keys_subscription").on(t.subscriptionId),
    // the operator's search: what a key begins with
    index("api_keys_hint").on(t.hint.op("text_pattern_ops")),
    // expiry reminders
    index("api_keys_expiry").on(t.expiresAt).where(sql`revoked_at is null and rotated_at is null`),
    // mails before a lower plan begins: few keys have plans that follow each other
    index("api_keys_stretches").on(t.id).where(sql`stretches is not null`),
    // what a chargeback that was won gives back
    index("api_keys_revoked_by").on(t.revokedByInvoice).where(sql`revoked_by_invoice is not null`),
    // who was lost, by week
    index("api_keys_revoked").on(t.revokedAt).where(sql`revoked_at is not null`),
    check("api_keys_one_end", sql`num_nonnulls(${t.revokedAt}, ${t.rotatedAt}) <= 1`),
    check("api_keys_rate_limit", sql`${t.rateLimitPerMin} between 1 and 100000`),
    check("api_keys_delay", sql`${t.delayCandles} between 1 and ${sql.raw(String(MOST_DELAY_CANDLES))}`),
  ],
);

/** Try-outs that were confirmed, one for each address for ever: of the address only a keyed hash is here. */
export const tryOuts = pgTable("try_outs", {
  /** HMAC-SHA-256 of the normalised address, hexadecimal. */
  addressHash: text("address_hash").primaryKey(),
  subscriptionId: integer("subscription_id")
    .notNull()
    .references(() => subscriptions.id),
  createdAt: createdAt(),
});

/** When and from where a key was last used. A table of its own keeps the hot row small and the key row still. */
export const keyHeartbeats = pgTable(
  "key_heartbeats",
  {
    /** api_keys.id, or 0 for the owner's key in the environment. */
    keyId: integer("key_id").primaryKey(),
    subscriptionId: integer("subscription_id").notNull(),
    lastSeenAt: instant("last_seen_at").notNull(),
    client: text("client"),
    address: text("address"),
    nCalls: bigint("n_calls", { mode: "number" }).notNull().default(0),
    /** In which of the last 144 spans of ten minutes a call came; the lowest bit is that of `last_seen_at`. */
    seen: seenSpans("seen").notNull().default(sql`0::bit(144)`),
  },
  (t) => [
    // the heartbeat of a subscription, whatever key it used; without the time of it, so that a beat changes no index
    index("key_heartbeats_subscription").on(t.subscriptionId),
  ],
);
