import { check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { ACCOUNT_REQUESTS } from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";
import { subscriptions } from "./subscriptions";

/** What a subscriber asked for and has to confirm by mail: another address, or that the account is deleted. */
export const accountRequests = pgTable(
  "account_requests",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    kind: text("kind", { enum: ACCOUNT_REQUESTS }).notNull(),
    /** The address to be, as it was typed; null once it is in force, and where nothing changes it. */
    newEmail: text("new_email"),
    /** SHA-256 of the token that went to the mailbox in force. */
    tokenHash: text("token_hash").notNull(),
    confirmedAt: instant("confirmed_at"),
    /** The same for the new mailbox; null where there is none. */
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
    // a later request replaces the former, and how many there were today
    index("account_requests_subscription").on(t.subscriptionId, t.createdAt),
    // what retention deletes next
    index("account_requests_created").on(t.createdAt),
    check("account_requests_kind", oneOf(t.kind, ACCOUNT_REQUESTS)),
  ],
);

/** Addresses that subscribers had: a payment that names one is still theirs. */
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
