import { sql } from "drizzle-orm";
import { bigint, check, index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { MAIL_STATES } from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";

/** Queued mails, inserted in the transaction of their cause. */
export const mailOutbox = pgTable(
  "mail_outbox",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    /** Identifies the mail, such as `key-created/17`, so that it is queued once, even if its cause is repeated. */
    dedupeKey: text("dedupe_key").notNull(),
    kind: text("kind").notNull(),
    subscriptionId: integer("subscription_id"),
    recipient: text("recipient").notNull(),
    /** Values for the mail's template, without secrets. */
    props: jsonb("props").$type<Record<string, unknown>>().notNull(),
    /** The key or token that the mail contains, encrypted. Deleted when the mail is sent, at the latest after a week. */
    secretEncrypted: text("secret_encrypted"),
    status: text("status", { enum: MAIL_STATES }).notNull().default("pending"),
    attempts: integer("attempts").notNull().default(0),
    nextAttemptAt: instant("next_attempt_at").notNull().defaultNow(),
    leasedUntil: instant("leased_until"),
    lastErrorCode: text("last_error_code"),
    transport: text("transport"),
    sentAt: instant("sent_at"),
    createdAt: createdAt(),
  },
  (t) => [
    // exactly one mail per dedupe key
    uniqueIndex("mail_outbox_dedupe").on(t.dedupeKey),
    // the next mails to send
    index("mail_outbox_due").on(t.nextAttemptAt).where(sql`status = 'pending'`),
    // the administrator's list by state, newest first
    index("mail_outbox_status").on(t.status, t.createdAt),
    // the administrator's list of all, newest first
    index("mail_outbox_newest").on(t.createdAt, t.id),
    // next rows for retention
    index("mail_outbox_addressed").on(t.createdAt).where(sql`recipient <> '' and status <> 'pending'`),
    // the few stored secrets by age, for deletion
    index("mail_outbox_secrets").on(t.createdAt).where(sql`secret_encrypted is not null`),
    // a subscriber's mails
    index("mail_outbox_subscription").on(t.subscriptionId, t.createdAt),
    check("mail_outbox_state", oneOf(t.status, MAIL_STATES)),
  ],
);
