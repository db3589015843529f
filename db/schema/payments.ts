import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { INVOICE_STATES, PAYMENT_EFFECTS, PRODUCT_KINDS, PURCHASABLE_PLANS } from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";
import { subscriptions } from "./subscriptions";

/** What a product of the payment platform buys. */
export const products = pgTable(
  "products",
  {
    productId: text("product_id").primaryKey(),
    planTier: text("plan_tier", { enum: PURCHASABLE_PLANS }).notNull(),
    kind: text("kind", { enum: PRODUCT_KINDS }).notNull(),
  },
  (t) => [
    check("products_plan", oneOf(t.planTier, PURCHASABLE_PLANS)),
    check("products_kind", oneOf(t.kind, PRODUCT_KINDS)),
  ],
);

/** One invoice of the platform: paid once, ended for good. No row means none. */
export const invoices = pgTable(
  "invoices",
  {
    invoiceId: text("invoice_id").primaryKey(),
    state: text("state", { enum: INVOICE_STATES }).notNull(),
    /** First 4 hexadecimal digits of SHA-256 of the buyer's normalised address. */
    emailHash: text("email_hash"),
    subscriptionId: integer("subscription_id").references(() => subscriptions.id),
    keyId: integer("key_id"),
    planTier: text("plan_tier"),
    productId: text("product_id"),
    kind: text("kind", { enum: PRODUCT_KINDS }),
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
    check("invoices_state", oneOf(t.state, INVOICE_STATES)),
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
    // the operator's search: deliveries of a buyer
    index("payment_deliveries_email").on(t.emailHash),
  ],
);
