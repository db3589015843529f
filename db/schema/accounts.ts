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
    /** The requested new address as it was typed; null after the change, and for a deletion. */
    newEmail: text("new_email"),
    /** SHA-256 of the token that was mailed to the current address. */
    tokenHash: text("token_hash").notNull(),
    confirmedAt: instant("confirmed_at"),
    /** SHA-256 of the token that was mailed to the new address; null for a deletion. */
    newTokenHash: text("new_token_hash"),
    newConfirmedAt: instant("new_confirmed_at"),
    expiresAt: instant("expires_at").notNull(),
    doneAt: instant("done_at"),
    createdAt: createdAt(),
  },
  (t) => [
    // find a request by the token mailed to the current address
    uniqueIndex("account_requests_token").on(t.tokenHash),
    // find a request by the token mailed to the new address
    uniqueIndex("account_requests_new_token").on(t.newTokenHash),
    // a subscriber's earlier requests, which a new one replaces; number of requests in 24 hours
    index("account_requests_subscription").on(t.subscriptionId, t.createdAt),
    // next rows for retention
    index("account_requests_created").on(t.createdAt),
    check("account_requests_kind", oneOf(t.kind, ACCOUNT_REQUESTS)),
  ],
);

/** Former e-mail addresses of subscribers. A payment with such an address still counts for its subscriber. */
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
