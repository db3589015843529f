import { check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { ACCOUNT_REQUESTS } from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";
import { subscriptions } from "./subscriptions";

/** Requests of subscribers that are confirmed by mail: a new address, or the deletion of the account. */
export const accountRequests = pgTable(
  "account_requests",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    kind: text("kind", { enum: ACCOUNT_REQUESTS }).notNull(),
    /** The new address as it was typed; null once it is in force, and for other requests. */
    newEmail: text("new_email"),
    /** SHA-256 of the token sent to the current mailbox. */
    tokenHash: text("token_hash").notNull(),
    confirmedAt: instant("confirmed_at"),
    /** The same for the new mailbox; null: none. */
    newTokenHash: text("new_token_hash"),
    newConfirmedAt: instant("new_confirmed_at"),
    expiresAt: instant("expires_at").notNull(),
    doneAt: instant("done_at"),
    createdAt: createdAt(),
  },
  (t) => [
    // the request behind a mailed link
    uniqueIndex("account_requests_token").on(t.tokenHash),
    // the same for the link to the new mailbox
    uniqueIndex("account_requests_new_token").on(t.newTokenHash),
    // a later request replaces the earlier one; number of requests today
    index("account_requests_subscription").on(t.subscriptionId, t.createdAt),
    // next rows for retention
    index("account_requests_created").on(t.createdAt),
    check("account_requests_kind", oneOf(t.kind, ACCOUNT_REQUESTS)),
  ],
);

/** Former e-mail addresses of subscribers. A payment from one is still credited to its subscriber. */
export const formerAddresses = pgTable(
  "former_addresses",
  {
    emailNormalized: text("email_normalized").primaryKey(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    createdAt: createdAt(),
  },
  (t) => [
    // a subscriber's former addresses
    index("former_addresses_subscription").on(t.subscriptionId),
  ],
);
