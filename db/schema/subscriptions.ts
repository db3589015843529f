import { sql } from "drizzle-orm";
import { bigint, check, index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { type ClockKind, MAX_TRY_OUT_DELAY_CANDLES } from "@/lib/vocabulary";
import { createdAt, instant, seenSpans } from "./columns";
import { personSearchText, personSearchVector } from "./folding";
import { plans } from "./plans";

/**
 * A subscriber's access, which outlives each of its keys. Executions, counters, heartbeat and history belong to it.
 * Row 0 is the installation's owner, whose key is in the environment.
 */
export const subscriptions = pgTable(
  "subscriptions",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    userName: text("user_name").notNull(),
    /** The address as the buyer wrote it, to which mails are sent; null: the subscriber gets no mail and signs in by key. */
    email: text("email"),
    /** The normalised address, which identifies the person. */
    emailNormalized: text("email_normalized"),
    notes: text("notes"),
    /**
     * Name, address and notes in lower case and without accents, for substring searches. Folding 100,000 accented names at
     * each search would take over a second.
     */
    searchText: text("search_text").generatedAlwaysAs(personSearchText()),
    /** Portal preferences: display name, time zone, mails. */
    preferences: jsonb("preferences").$type<SubscriptionPreferences>().notNull().default({}),
    /** When the account was deleted. The remaining data is anonymous. */
    erasedAt: instant("erased_at"),
    createdAt: createdAt(),
  },
  (t) => [
    // lockKeysByEmail, findNewestSubscription, listSubscriptionsOfPerson: provisioning, revocation and sign-in by address
    index("subscriptions_email").on(t.emailNormalized),
    // subscribers who want mails about changed models
    index("subscriptions_model_mails").on(t.id).where(sql`${t.preferences} ->> 'mailModels' = 'true'`),
    // operator's search: prefix of an address
    index("subscriptions_email_prefix").on(t.emailNormalized.op("text_pattern_ops")),
    // operator's search: prefix of any word of a name or an address
    index("subscriptions_words").using("gin", personSearchVector()),
    // recently deleted accounts, and next invoices for retention
    index("subscriptions_erased").on(t.erasedAt).where(sql`erased_at is not null`),
    // operator's search: prefix of a name
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
  /** Mails about changed models. Off by default. */
  mailModels?: boolean;
  /** Mails with the operator's notices to many subscribers. */
  mailNotices?: boolean;
  /** Mails about incidents and pauses on the status page. Off by default. */
  mailIncidents?: boolean;
}

/** The plans in force until a time (ISO 8601; null: without an end), the highest first. */
export interface PlanInterval {
  plans: string[];
  until: string | null;
}

/**
 * API keys with their plan and limits. This table has only a hash and a hint of a key. Until a new key has been shown and
 * mailed, it is also stored encrypted, in `sessions.flash_encrypted` and `mail_outbox.secret_encrypted`.
 */
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
    /** Highest plan when the key's paid time last changed. If `stretches` is set, `stretches` states the plans instead. */
    planTier: text("plan_tier")
      .notNull()
      .references(() => plans.name),
    /** Consecutive intervals with their plans, in order of time; null: `plan_tier` is in force until the key expires. */
    stretches: jsonb("stretches").$type<PlanInterval[]>(),
    /** When the key expires: at exactly this instant it no longer works. null: never. */
    expiresAt: instant("expires_at"),
    symbolsAllowed: text("symbols_allowed").array(),
    tfsAllowed: text("tfs_allowed").array(),
    /** Individual rate limit; null: the plan's limit applies. */
    rateLimitPerMin: integer("rate_limit_per_min"),
    /** Set for a try-out key: a signal is visible this many candles after its candle closed. null: at once. */
    delayCandles: integer("delay_candles"),
    revokedAt: instant("revoked_at"),
    rotatedAt: instant("rotated_at"),
    /** Since when the key is suspended, which unlike a revocation can be undone; null: it is not. */
    suspendedAt: instant("suspended_at"),
    /** The invoice whose chargeback revoked the key, which is reinstated if the seller wins the chargeback; else null. */
    revokedByInvoice: text("revoked_by_invoice"),
    createdAt: createdAt(),
  },
  (t) => [
    // findKeysByHash: every authenticated request
    uniqueIndex("api_keys_hash").on(t.keyHash),
    // keys of one subscription: rotation, revocation by e-mail, portal
    index("api_keys_subscription").on(t.subscriptionId),
    // operator's search: prefix of a key
    index("api_keys_hint").on(t.hint.op("text_pattern_ops")),
    // expiry reminders
    index("api_keys_expiry").on(t.expiresAt).where(sql`revoked_at is null and rotated_at is null`),
    // mails before a lower plan begins: few keys have consecutive plans
    index("api_keys_stretches").on(t.id).where(sql`stretches is not null`),
    // keys that a won chargeback reinstates
    index("api_keys_revoked_by").on(t.revokedByInvoice).where(sql`revoked_by_invoice is not null`),
    // keys revoked since a time, for the number of lost subscribers by week
    index("api_keys_revoked").on(t.revokedAt).where(sql`revoked_at is not null`),
    check("api_keys_one_end", sql`num_nonnulls(${t.revokedAt}, ${t.rotatedAt}) <= 1`),
    check("api_keys_rate_limit", sql`${t.rateLimitPerMin} between 1 and 100000`),
    check(
      "api_keys_delay",
      sql`${t.delayCandles} between 1 and ${sql.raw(String(MAX_TRY_OUT_DELAY_CANDLES))}`,
    ),
  ],
);

/** Confirmed try-outs. An address can have only one, ever. Instead of the address only a keyed hash is stored. */
export const tryOuts = pgTable("try_outs", {
  /** HMAC-SHA-256 of the normalised address with the encryption key of that time, hexadecimal. */
  addressHash: text("address_hash").primaryKey(),
  subscriptionId: integer("subscription_id")
    .notNull()
    .references(() => subscriptions.id),
  createdAt: createdAt(),
});

/**
 * Time and address of a key's last use. A separate table keeps the frequently updated row small and the key's row
 * unchanged.
 */
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
    /** Use in the last 144 ten-minute spans: bit set if the key was used; the lowest bit is the span of `last_seen_at`. */
    seen: seenSpans("seen").notNull().default(sql`0::bit(144)`),
  },
  (t) => [
    // the heartbeats of a subscription's keys; without the time, so that a heartbeat changes no index
    index("key_heartbeats_subscription").on(t.subscriptionId),
  ],
);
