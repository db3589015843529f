import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import {
  CREDIT_STATES,
  INVOICE_STATES,
  PAID_TIME_KINDS,
  PAYMENT_ADAPTERS,
  PAYMENT_EFFECTS,
} from "@/lib/vocabulary";
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
    periodDays: integer("period_days").notNull().default(31),
    /** Days added once to a new key, and given after a payment that failed. */
    graceDays: integer("grace_days").notNull().default(0),
    /** Days of a trial whose end the platform does not name; null: such a trial waits for a person. */
    trialDays: integer("trial_days"),
    /** Read by 1.1.0 alone, as the next: both go a release later. */
    productIdBefore: text("product_id"),
    kindBefore: text("kind"),
  },
  (t) => [
    primaryKey({ columns: [t.adapter, t.externalId] }),
    check("products_adapter_known", oneOf(t.adapter, PAYMENT_ADAPTERS)),
    // the operator's own plan is not for sale
    check("products_plan", sql`${t.planTier} <> 'owner'`),
    check("products_period", sql`${t.periodDays} between 1 and 3660`),
    check("products_grace", sql`${t.graceDays} between 0 and 366`),
    check("products_trial", sql`${t.trialDays} between 1 and 366`),
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
    /** Written by 1.1.0 alone: it goes a release later. */
    kindBefore: text("kind"),
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
    // what was sold and renewed, by week
    index("invoices_paid").on(sql`coalesce(paid_at, created_at)`).where(sql`effect is not null`),
    // what was given back, by week
    index("invoices_ended").on(t.endedAt).where(sql`effect is not null and ended_at is not null`),
    check("invoices_state", oneOf(t.state, INVOICE_STATES)),
    check("invoices_adapter_known", oneOf(t.adapter, PAYMENT_ADAPTERS)),
  ],
);

/**
 * Time of a plan that was paid or given, one row for each cause, written once. What is in force is computed from the rows
 * of a key and never edited.
 */
export const paidTime = pgTable(
  "paid_time",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    /** The key that has the time; a key that replaces it takes it over. */
    keyId: integer("key_id").notNull(),
    kind: text("kind", { enum: PAID_TIME_KINDS }).notNull(),
    /** Checked at the end of a transaction (the migration says so): the time is entered before the invoice. */
    invoiceId: text("invoice_id").references(() => invoices.invoiceId, { onDelete: "cascade" }),
    /** The subscription of the platform whose days these are. */
    externalSubscriptionId: text("external_subscription_id"),
    planTier: text("plan_tier")
      .notNull()
      .references(() => plans.name),
    /** From when on it may be used. */
    startsAt: instant("starts_at").notNull(),
    /** null: without an end. */
    durationMs: bigint("duration_ms", { mode: "number" }),
    /** Grace that comes with it. */
    graceMs: bigint("grace_ms", { mode: "number" }).notNull().default(0),
    /** When it was taken away or became other rows. */
    endedAt: instant("ended_at"),
    /** The row whose time this was before the plan changed: what takes that away takes this away. */
    fromId: integer("from_id"),
    /** The platform's invoice that charged for the change of plan. */
    chargedBy: text("charged_by"),
    createdAt: createdAt(),
  },
  (t) => [
    // an invoice gives time once
    uniqueIndex("paid_time_invoice").on(t.invoiceId).where(sql`invoice_id is not null`),
    // the ledger of a key
    index("paid_time_key").on(t.keyId),
    // why a subscriber has access
    index("paid_time_subscription").on(t.subscriptionId),
    // endInvoice: what a row became
    index("paid_time_from").on(t.fromId).where(sql`from_id is not null`),
    // undoPlanChange: what a refunded charge had changed
    index("paid_time_charged_by").on(t.chargedBy).where(sql`charged_by is not null`),
    check("paid_time_kind", oneOf(t.kind, PAID_TIME_KINDS)),
    check("paid_time_duration", sql`${t.durationMs} > 0`),
    check("paid_time_grace", sql`${t.graceMs} >= 0`),
  ],
);

/** What else a platform calls an invoice of it: the payment, the order or the subscription that it belongs to. */
export const invoiceNames = pgTable(
  "invoice_names",
  {
    adapter: text("adapter", { enum: PAYMENT_ADAPTERS }).notNull(),
    externalId: text("external_id").notNull(),
    invoiceId: text("invoice_id").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    // findInvoiceByName: one invoice for each name
    primaryKey({ columns: [t.adapter, t.externalId] }),
    // renameInvoice: the names of an invoice that is another one
    index("invoice_names_invoice").on(t.invoiceId),
    check("invoice_names_adapter_known", oneOf(t.adapter, PAYMENT_ADAPTERS)),
  ],
);

/** Buyers of a platform whose payments name no address: the platform tells it on its own. */
export const platformCustomers = pgTable(
  "platform_customers",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    adapter: text("adapter", { enum: PAYMENT_ADAPTERS }).notNull(),
    externalId: text("external_id").notNull(),
    /** Address and name as JSON, encrypted. */
    buyerEncrypted: text("buyer_encrypted").notNull(),
    /** First 4 hexadecimal digits of SHA-256 of the normalised address; null in rows from before it was kept. */
    emailHash: text("email_hash"),
    updatedAt: instant("updated_at").notNull().defaultNow(),
  },
  (t) => [
    // findPlatformCustomer: who pays
    uniqueIndex("platform_customers_external").on(t.adapter, t.externalId),
    // which may be a buyer's, when their account is deleted
    index("platform_customers_email").on(t.emailHash),
    // what retention deletes next
    index("platform_customers_updated").on(t.updatedAt),
    check("platform_customers_adapter_known", oneOf(t.adapter, PAYMENT_ADAPTERS)),
  ],
);

/** Whom a link of this service named when a subscription of a platform began: its payments do not repeat it. */
export const platformSubscribers = pgTable(
  "platform_subscribers",
  {
    adapter: text("adapter", { enum: PAYMENT_ADAPTERS }).notNull(),
    externalSubscriptionId: text("external_subscription_id").notNull(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    createdAt: createdAt(),
  },
  (t) => [
    // findLinkedSubscriber: one subscriber for each subscription
    primaryKey({ columns: [t.adapter, t.externalSubscriptionId] }),
    check("platform_subscribers_adapter_known", oneOf(t.adapter, PAYMENT_ADAPTERS)),
  ],
);

/** Extensions of a whole list of subscribers, done in batches: what a batch did and who follows change together. */
export const bulkExtensions = pgTable(
  "bulk_extensions",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    /** The form that was sent: sent twice it counts once. */
    formId: text("form_id").notNull().unique(),
    days: integer("days").notNull(),
    nSubscribers: integer("n_subscribers").notNull(),
    /** Subscriptions of the list, as it was when it was confirmed, whose turn is still to come. */
    remaining: integer("remaining").array().notNull(),
    nExtended: integer("n_extended").notNull().default(0),
    actor: jsonb("actor").$type<Record<string, unknown>>().notNull(),
    createdAt: createdAt(),
    finishedAt: instant("finished_at"),
  },
  (t) => [
    // what the worker goes on with
    index("bulk_extensions_unfinished").on(t.id).where(sql`finished_at is null`),
    // what happened to the newest
    index("bulk_extensions_newest").on(t.createdAt),
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
    /** A test event of the platform, by its body or by the secret that signed it. */
    isTest: boolean("is_test").notNull().default(false),
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
    // the operator's search: deliveries of a buyer
    index("payment_deliveries_email").on(t.emailHash),
  ],
);

/** Time that a subscriber's end moves by, because the service kept back fresh signals for so long in a month. */
export const downtimeCredits = pgTable(
  "downtime_credits",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    /** First day of the month, UTC. */
    month: date("month").notNull(),
    minutes: integer("minutes").notNull(),
    /** When that was, and what was wrong. */
    stretches: jsonb("stretches").$type<CreditedInterval[]>().notNull(),
    state: text("state", { enum: CREDIT_STATES }).notNull().default("proposed"),
    /** From then on it is given, unless the operator declines. */
    dueAt: instant("due_at").notNull(),
    keyId: integer("key_id"),
    settledAt: instant("settled_at"),
    createdAt: createdAt(),
  },
  (t) => [
    // once for each subscriber and month
    uniqueIndex("downtime_credits_once").on(t.subscriptionId, t.month),
    // what is given next
    index("downtime_credits_due").on(t.dueAt).where(sql`state = 'proposed'`),
    // the administrator's list, newest month first
    index("downtime_credits_month").on(t.month),
    check("downtime_credits_state", oneOf(t.state, CREDIT_STATES)),
    check("downtime_credits_minutes", sql`${t.minutes} > 0`),
  ],
);

export interface CreditedInterval {
  /** ISO 8601. */
  from: string;
  to: string;
  /** What the incidents of that time say. */
  what: string;
}

/** Subscribers whose addresses turned out to be one and the same when identities were written in their new form. */
export const sharedAddresses = pgTable(
  "shared_addresses",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    subscriptionIds: integer("subscription_ids").array().notNull(),
    createdAt: createdAt(),
    /** When a person had looked at them. */
    reviewedAt: instant("reviewed_at"),
  },
  (t) => [
    // what waits for a look
    index("shared_addresses_waiting").on(t.createdAt).where(sql`reviewed_at is null`),
  ],
);
