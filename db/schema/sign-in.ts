import { sql } from "drizzle-orm";
import { type AnyPgColumn, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { SESSION_ROLES } from "@/lib/vocabulary";
import { createdAt, instant } from "./columns";
import { administrators } from "./people";
import { subscriptions } from "./subscriptions";

/** Users of the portal: one for each address that signed in, and one for each subscription whose key signed in. */
export const users = pgTable(
  "users",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    emailNormalized: text("email_normalized"),
    /** Set for the user of sign-ins by a key of this subscription; `email_normalized` is null then. */
    subscriptionId: integer("subscription_id").references(() => subscriptions.id),
    createdAt: createdAt(),
  },
  (t) => [
    // one user per address: sign-in by mail
    uniqueIndex("users_email").on(t.emailNormalized),
    // one user per subscription, for sign-ins with its key
    uniqueIndex("users_subscription").on(t.subscriptionId),
  ],
);

/** Sessions of browsers. The cookie contains a token, of which only the hash is stored. */
export const sessions = pgTable(
  "sessions",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    role: text("role", { enum: SESSION_ROLES }).notNull(),
    tokenHash: text("token_hash").notNull(),
    userId: uuid("user_id").references(() => users.id),
    /** The subscription selected in the portal. */
    subscriptionId: integer("subscription_id").references(() => subscriptions.id),
    /** The key by which a subscriber signed in: the session ends with that key. null: the session was not opened by key. */
    keyId: integer("key_id"),
    /** The administrator whose session it is; null: a subscriber's session, or opened with the administrator secret. */
    administratorId: integer("administrator_id").references(() => administrators.id),
    /** For a view of a portal: the administrator's session that opened the view, and with which the view ends; else null. */
    openedBy: uuid("opened_by").references((): AnyPgColumn => sessions.id, { onDelete: "cascade" }),
    address: text("address"),
    client: text("client"),
    createdAt: createdAt(),
    lastUsedAt: instant("last_used_at").notNull().defaultNow(),
    expiresAt: instant("expires_at").notNull(),
    endedAt: instant("ended_at"),
    /** Flash message for the next page (a new key, the errors of a form), encrypted; deleted by a later request. */
    flashEncrypted: text("flash_encrypted"),
  },
  (t) => [
    // find a session by its token, for each page request
    uniqueIndex("sessions_token").on(t.tokenHash),
    // next rows for retention
    index("sessions_over").on(sql`least(ended_at, expires_at)`),
    // sign-out everywhere
    index("sessions_user").on(t.userId),
    // an administrator's sessions
    index("sessions_administrator").on(t.administratorId).where(sql`administrator_id is not null`),
    // one view at a time per administrator's session
    uniqueIndex("sessions_view").on(t.openedBy).where(sql`opened_by is not null and ended_at is null`),
    // the views that end with an administrator's session
    index("sessions_opened_by").on(t.openedBy).where(sql`opened_by is not null`),
    // sessions of a subscription
    index("sessions_subscription").on(t.subscriptionId, t.lastUsedAt),
  ],
);

/** Sign-in links that were mailed. Each can be used once, by POST only. */
export const signInTokens = pgTable(
  "sign_in_tokens",
  {
    tokenHash: text("token_hash").primaryKey(),
    emailNormalized: text("email_normalized").notNull(),
    expiresAt: instant("expires_at").notNull(),
    usedAt: instant("used_at"),
    /** The network that requested the link first; null in rows from before it was stored. */
    network: text("network"),
    /** The token itself, encrypted, so that a valid link can be mailed again; deleted after its use. */
    tokenEncrypted: text("token_encrypted"),
    /** Number of mails that contained the link. */
    nMails: integer("n_mails").notNull().default(1),
    createdAt: createdAt(),
  },
  (t) => [
    // next rows for retention
    index("sign_in_tokens_created").on(t.createdAt),
    // the valid link of an address, and the number of recent links for one network
    index("sign_in_tokens_email").on(t.emailNormalized, t.createdAt),
  ],
);

/**
 * Number of attempts at limited actions, such as sign-ins with a wrong secret, in the current window. All processes and
 * replicas share these counts.
 */
export const attemptCounts = pgTable("attempt_counts", {
  /** SHA-256 of the name under which attempts are counted, such as `link:` with the caller's network. */
  nameHash: text("name_hash").primaryKey(),
  windowStart: instant("window_start").notNull(),
  n: integer("n").notNull(),
});
