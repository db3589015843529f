import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { INVOICE_STATES, PAYMENT_ADAPTERS, PAYMENT_EFFECTS } from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";
import { plans } from "./plans";
import { subscriptions } from "./subscriptions";

/** What a product, variant or price of a payment platform buys. */
export const products = pgTable(
  "products",
  {
    adapter: text("adapter", { enum: PAYMENT_ADAPTERS }).notNull().default("generic"),
    /** What the platform calls it. */
    externalId: text("external_id").notNull(),
    planTier: text("plan_tier")
      .notNull()
      .references(() => plans.name),
    /** Days of access that one payment buys. */
    periodDays: integer("period_days").notNull(),
    /** Days added once to a new key, and given after a payment that failed. */
    graceDays: integer("grace_days").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.adapter, t.externalId] }),
    check("products_adapter_known", oneOf(t.adapter, PAYMENT_ADAPTERS)),
    // the operator's own plan is not for sale
    check("products_plan", sql`${t.planTier} <> 'owner'`),
    check("products_period", sql`${t.periodDays} between 1 and 3660`),
    check("products_grace", sql`${t.graceDays} between 0 and 366`),
  ],
);

/** One invoice of the platform: paid once, ended for good. No row means none. */
export const invoices = pgTable(
  "invoices",
  {
    invoiceId: text("invoice_id").primaryKey(),
    /** The platform that it belongs to. */
    adapter: text("adapter", { enum: PAYMENT_ADAPTERS }).notNull().default("generic"),
    /** The subscription of the platform that it pays for; null where the platform names none. */
    externalSubscriptionId: text("external_subscription_id"),
    state: text("state", { enum: INVOICE_STATES }).notNull(),
    /** First 4 hexadecimal digits of SHA-256 of the buyer's normalised address. */
    emailHash: text("email_hash"),
    subscriptionId: integer("subscription_id").references(() => subscriptions.id),
    keyId: integer("key_id"),
    planTier: text("plan_tier"),
    productId: text("product_id"),
    /** What the payment did: made a key, moved its end, or made an expired one work again. */
    effect: text("effect", { enum: PAYMENT_EFFECTS }),
    /** What was paid, as the platform says it; null where it says nothing usable. */
    amount: numeric("amount", { precision: 14, scale: 4 }),
    currency: text("currency"),
    /** What was given back without ending the invoice. */
    refundedAmount: numeric("refunded_amount", { precision: 14, scale: 4 }),
    paidAt: instant("paid_at"),
    expiresAt: instant("expires_at"),
    endedAt: instant("ended_at"),
    endedBy: text("ended_by"),
    createdAt: instant("created_at").notNull().defaultNow(),
  },
  (t) => [
    // why a subscriber has access, newest first
    index("invoices_subscription").on(t.subscriptionId, t.createdAt),
    // whose a further payment for a subscription of the platform is
    index("invoices_external_subscription")
      .on(t.adapter, t.externalSubscriptionId)
      .where(sql`external_subscription_id is not null`),
    check("invoices_state", oneOf(t.state, INVOICE_STATES)),
    check("invoices_adapter_known", oneOf(t.adapter, PAYMENT_ADAPTERS)),
  ],
);

/** Days of grace after a payment that failed: one for each stretch without a payment. */
export const paymentGraces = pgTable(
  "payment_graces",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    /** The invoice that failed first. */
    invoiceId: text("invoice_id").notNull(),
    nFailures: integer("n_failures").notNull().default(1),
    endsAt: instant("ends_at").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    // the grace in force of a subscription
    index("payment_graces_subscription").on(t.subscriptionId, t.createdAt),
  ],
);

/** Every delivery of the platform with a valid signature. The digest makes the same bytes count once. */
export const paymentDeliveries = pgTable(
  "payment_deliveries",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    adapter: text("adapter", { enum: PAYMENT_ADAPTERS }).notNull().default("generic"),
    /** Of the platform's name and the body; of the body alone for `generic`. */
    bodyDigest: text("body_digest").notNull(),
    event: text("event"),
    invoiceId: text("invoice_id"),
    emailHash: text("email_hash"),
    /** The body as received, encrypted. */
    payloadEncrypted: text("payload_encrypted").notNull(),
    action: text("action").notNull(),
    reason: text("reason"),
    /** What a person should look at: `unmapped_product`, `another_paid_invoice`. */
    flags: text("flags").array().notNull().default(sql`'{}'::text[]`),
    answer: jsonb("answer").notNull(),
    nReceived: integer("n_received").notNull().default(1),
    receivedAt: instant("received_at").notNull().defaultNow(),
    lastReceivedAt: instant("last_received_at").notNull().defaultNow(),
    reappliedAt: instant("reapplied_at"),
    /** When the administrator had looked at the flags. */
    reviewedAt: instant("reviewed_at"),
  },
  (t) => [
    // exactly-once per body
    uniqueIndex("payment_deliveries_digest").on(t.bodyDigest),
    // the inbox, newest first
    index("payment_deliveries_received").on(t.receivedAt),
    // what the administrator should look at: few among many
    index("payment_deliveries_flagged").on(t.receivedAt).where(sql`flags <> '{}' and reviewed_at is null`),
    // deliveries of one invoice
    index("payment_deliveries_invoice").on(t.invoiceId),
    // the newest delivery of each platform
    index("payment_deliveries_adapter").on(t.adapter, t.receivedAt),
    check("payment_deliveries_adapter_known", oneOf(t.adapter, PAYMENT_ADAPTERS)),
  ],
);
