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
  DOWNTIME_CREDIT_STATES,
  INVOICE_STATES,
  PAID_TIME_KINDS,
  PAYMENT_ADAPTERS,
  PAYMENT_EFFECTS,
} from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";
import { plans } from "./plans";
import { subscriptions } from "./subscriptions";

/** Products (on some platforms: variants or prices) of payment platforms, and the plan and days that they buy. */
export const products = pgTable(
  "products",
  {
    adapter: text("adapter", { enum: PAYMENT_ADAPTERS }).notNull().default("generic"),
    /** The platform's id of the product. */
    externalId: text("external_id").notNull(),
    planTier: text("plan_tier")
      .notNull()
      .references(() => plans.name),
    /** Days of access per payment, if the platform does not state the period that was paid. */
    periodDays: integer("period_days").notNull().default(31),
    /** Days of grace after the time that a payment bought (not after every renewal), and after a failed payment. */
    graceDays: integer("grace_days").notNull().default(0),
    /** Days of a trial whose end the platform does not give; null: such a trial is flagged for an administrator. */
    trialDays: integer("trial_days"),
  },
  (t) => [
    primaryKey({ columns: [t.adapter, t.externalId] }),
    check("products_adapter_known", oneOf(t.adapter, PAYMENT_ADAPTERS)),
    // the operator's plan `owner` is not for sale
    check("products_plan", sql`${t.planTier} <> 'owner'`),
    check("products_period", sql`${t.periodDays} between 1 and 3660`),
    check("products_grace", sql`${t.graceDays} between 0 and 366`),
    check("products_trial", sql`${t.trialDays} between 1 and 366`),
  ],
);

/** Invoices of payment platforms. Each is applied once when paid, and ended by a refund, chargeback or cancellation. */
export const invoices = pgTable(
  "invoices",
  {
    invoiceId: text("invoice_id").primaryKey(),
    /** The payment platform, by the name of its adapter. */
    adapter: text("adapter", { enum: PAYMENT_ADAPTERS }).notNull().default("generic"),
    /** The platform's id of the subscription that the invoice pays for; null: none given. */
    externalSubscriptionId: text("external_subscription_id"),
    state: text("state", { enum: INVOICE_STATES }).notNull(),
    /**
     * First 4 hexadecimal digits of the SHA-256 of the normalised address in the payment or in the event that ended the
     * invoice; null: none named, or the account was deleted.
     */
    emailHash: text("email_hash"),
    subscriptionId: integer("subscription_id").references(() => subscriptions.id),
    keyId: integer("key_id"),
    planTier: text("plan_tier"),
    productId: text("product_id"),
    /** What the payment did: created a key, extended one, or revived an expired one; null: no payment was applied. */
    effect: text("effect", { enum: PAYMENT_EFFECTS }),
    /** Paid amount; null: the platform stated no usable one. */
    amount: numeric("amount", { precision: 14, scale: 4 }),
    currency: text("currency"),
    /** Amount that was refunded in part, without ending the invoice. */
    refundedAmount: numeric("refunded_amount", { precision: 14, scale: 4 }),
    paidAt: instant("paid_at"),
    expiresAt: instant("expires_at"),
    endedAt: instant("ended_at"),
    endedBy: text("ended_by"),
    createdAt: instant("created_at").notNull().defaultNow(),
  },
  (t) => [
    // a subscriber's invoices, newest first
    index("invoices_subscription").on(t.subscriptionId, t.createdAt),
    // invoices of a platform's subscription, to find the subscriber of its next payment
    index("invoices_external_subscription")
      .on(t.adapter, t.externalSubscriptionId)
      .where(sql`external_subscription_id is not null`),
    // new and renewed payments, by week
    index("invoices_paid").on(sql`coalesce(paid_at, created_at)`).where(sql`effect is not null`),
    // refunds, by week
    index("invoices_ended").on(t.endedAt).where(sql`effect is not null and ended_at is not null`),
    check("invoices_state", oneOf(t.state, INVOICE_STATES)),
    check("invoices_adapter_known", oneOf(t.adapter, PAYMENT_ADAPTERS)),
  ],
);

/**
 * Time of a plan that was paid or granted, one row per cause. A key's plans and end are computed from its rows. Rows
 * may be ended or moved to another key, and those of a payment that was a mistake are deleted. Plan and duration of a
 * row never change.
 */
export const paidTime = pgTable(
  "paid_time",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    /** The key to which the time belongs; after a rotation, its replacement. */
    keyId: integer("key_id").notNull(),
    kind: text("kind", { enum: PAID_TIME_KINDS }).notNull(),
    /**
     * The invoice that paid for the time; null: none. The foreign key is checked at commit, because the invoice is inserted
     * later in the same transaction.
     */
    invoiceId: text("invoice_id").references(() => invoices.invoiceId, { onDelete: "cascade" }),
    /** The platform's id of the subscription to which the time belongs. */
    externalSubscriptionId: text("external_subscription_id"),
    planTier: text("plan_tier")
      .notNull()
      .references(() => plans.name),
    /** Earliest time at which the time can be used. */
    startsAt: instant("starts_at").notNull(),
    /** Length of the time; null: without an end. */
    durationMs: bigint("duration_ms", { mode: "number" }),
    /** Length of the grace period after the time. */
    graceMs: bigint("grace_ms", { mode: "number" }).notNull().default(0),
    /** When the time was revoked, or moved to other rows by a change of plan; null: it counts. */
    endedAt: instant("ended_at"),
    /** The row of `paid_time` from which a change of plan moved this time. If that row is revoked, this one is, too. */
    fromId: integer("from_id"),
    /** The platform's invoice that charged for the change of plan; null: none is known. */
    chargedBy: text("charged_by"),
    createdAt: createdAt(),
  },
  (t) => [
    // each invoice gives time once
    uniqueIndex("paid_time_invoice").on(t.invoiceId).where(sql`invoice_id is not null`),
    // paid time of a key
    index("paid_time_key").on(t.keyId),
    // paid time of a subscriber
    index("paid_time_subscription").on(t.subscriptionId),
    // endInvoice: the rows to which a row's time was moved
    index("paid_time_from").on(t.fromId).where(sql`from_id is not null`),
    // undoPlanChange: changes by a refunded charge
    index("paid_time_charged_by").on(t.chargedBy).where(sql`charged_by is not null`),
    check("paid_time_kind", oneOf(t.kind, PAID_TIME_KINDS)),
    check("paid_time_duration", sql`${t.durationMs} > 0`),
    check("paid_time_grace", sql`${t.graceMs} >= 0`),
  ],
);

/** Further names of invoices: the platform's ids of the invoice's payment, order or subscription. */
export const invoiceNames = pgTable(
  "invoice_names",
  {
    adapter: text("adapter", { enum: PAYMENT_ADAPTERS }).notNull(),
    externalId: text("external_id").notNull(),
    invoiceId: text("invoice_id").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    // findInvoiceByName: one invoice per name
    primaryKey({ columns: [t.adapter, t.externalId] }),
    // moveInvoiceNames: names of a merged invoice
    index("invoice_names_invoice").on(t.invoiceId),
    check("invoice_names_adapter_known", oneOf(t.adapter, PAYMENT_ADAPTERS)),
  ],
);

/** Customers of platforms whose payments contain no address: the platform sends it in a separate delivery. */
export const platformCustomers = pgTable(
  "platform_customers",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    adapter: text("adapter", { enum: PAYMENT_ADAPTERS }).notNull(),
    externalId: text("external_id").notNull(),
    /** Address and name as JSON, encrypted. */
    buyerEncrypted: text("buyer_encrypted").notNull(),
    /** First 4 hexadecimal digits of the SHA-256 of the normalised address; null in rows from before it was stored. */
    emailHash: text("email_hash"),
    updatedAt: instant("updated_at").notNull().defaultNow(),
  },
  (t) => [
    // findPlatformCustomer: the payer
    uniqueIndex("platform_customers_external").on(t.adapter, t.externalId),
    // customers who may be the person whose account is deleted
    index("platform_customers_email").on(t.emailHash),
    // next rows for retention
    index("platform_customers_updated").on(t.updatedAt),
    check("platform_customers_adapter_known", oneOf(t.adapter, PAYMENT_ADAPTERS)),
  ],
);

/**
 * For which subscriber a platform's subscription or single purchase was made, as stated in the link of this service to the
 * shop. Only the platform's first event contains that statement.
 */
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
    // findSubscriberFromShopLink: one subscriber per subscription or purchase
    primaryKey({ columns: [t.adapter, t.externalSubscriptionId] }),
    check("platform_subscribers_adapter_known", oneOf(t.adapter, PAYMENT_ADAPTERS)),
  ],
);

/**
 * Extensions of a whole list of subscribers, processed in batches. A batch is extended and removed from `remaining` in one
 * transaction.
 */
export const bulkExtensions = pgTable(
  "bulk_extensions",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    /** Id of the submitted form: a form that is submitted twice has its effect once. */
    formId: text("form_id").notNull().unique(),
    days: integer("days").notNull(),
    nSubscribers: integer("n_subscribers").notNull(),
    /** Ids of the subscriptions of the confirmed list that are not processed yet. */
    remaining: integer("remaining").array().notNull(),
    nExtended: integer("n_extended").notNull().default(0),
    actor: jsonb("actor").$type<Record<string, unknown>>().notNull(),
    createdAt: createdAt(),
    finishedAt: instant("finished_at"),
  },
  (t) => [
    // next batches of the worker
    index("bulk_extensions_unfinished").on(t.id).where(sql`finished_at is null`),
    // the newest extensions
    index("bulk_extensions_newest").on(t.createdAt),
  ],
);

/** Grace periods after failed payments. Failures without a payment in between belong to one grace period. */
export const paymentGraces = pgTable(
  "payment_graces",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    /** The invoice whose payment failed first. */
    invoiceId: text("invoice_id").notNull(),
    nFailures: integer("n_failures").notNull().default(1),
    endsAt: instant("ends_at").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    // the current grace period of a subscription
    index("payment_graces_subscription").on(t.subscriptionId, t.createdAt),
  ],
);

/** Webhook deliveries of payment platforms with a valid signature. By the digest the same bytes are applied only once. */
export const paymentDeliveries = pgTable(
  "payment_deliveries",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    adapter: text("adapter", { enum: PAYMENT_ADAPTERS }).notNull().default("generic"),
    /** Digest of the platform's name and the body; for `generic`, of the body alone. */
    bodyDigest: text("body_digest").notNull(),
    event: text("event"),
    invoiceId: text("invoice_id"),
    emailHash: text("email_hash"),
    /** The body as received, encrypted. */
    payloadEncrypted: text("payload_encrypted").notNull(),
    action: text("action").notNull(),
    reason: text("reason"),
    /** Reasons why an administrator should review it, such as `unmapped_product` or `another_paid_invoice`. */
    flags: text("flags").array().notNull().default(sql`'{}'::text[]`),
    answer: jsonb("answer").notNull(),
    nReceived: integer("n_received").notNull().default(1),
    receivedAt: instant("received_at").notNull().defaultNow(),
    lastReceivedAt: instant("last_received_at").notNull().defaultNow(),
    reappliedAt: instant("reapplied_at"),
    /** When the administrator reviewed the flags. */
    reviewedAt: instant("reviewed_at"),
    /** Whether it is a test event of the platform, by its body or by the secret that signed it. */
    isTest: boolean("is_test").notNull().default(false),
  },
  (t) => [
    // each body once
    uniqueIndex("payment_deliveries_digest").on(t.bodyDigest),
    // the inbox, newest first
    index("payment_deliveries_received").on(t.receivedAt),
    // deliveries that need review: few among many
    index("payment_deliveries_flagged").on(t.receivedAt).where(sql`flags <> '{}' and reviewed_at is null`),
    // a platform's unreviewed charges within a period, which every payment may explain: few among those that need review
    index("payment_deliveries_charges")
      .on(t.receivedAt)
      .where(sql`flags && '{part_of_a_period}' and reviewed_at is null`),
    // deliveries of one invoice
    index("payment_deliveries_invoice").on(t.invoiceId),
    // the newest delivery of each platform
    index("payment_deliveries_adapter").on(t.adapter, t.receivedAt),
    check("payment_deliveries_adapter_known", oneOf(t.adapter, PAYMENT_ADAPTERS)),
    // operator's search: deliveries of a buyer
    index("payment_deliveries_email").on(t.emailHash),
  ],
);

/** Downtime credits: time added to a subscriber's access, because the service sent no fresh signals for a part of a month. */
export const downtimeCredits = pgTable(
  "downtime_credits",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    /** First day of the month in UTC. */
    month: date("month").notNull(),
    minutes: integer("minutes").notNull(),
    /** The intervals without fresh signals, and their causes. */
    stretches: jsonb("stretches").$type<CreditedInterval[]>().notNull(),
    state: text("state", { enum: DOWNTIME_CREDIT_STATES }).notNull().default("proposed"),
    /** When the credit is granted, unless the operator declines it before. */
    dueAt: instant("due_at").notNull(),
    keyId: integer("key_id"),
    settledAt: instant("settled_at"),
    createdAt: createdAt(),
  },
  (t) => [
    // one credit per subscriber and month
    uniqueIndex("downtime_credits_once").on(t.subscriptionId, t.month),
    // the next credits to grant
    index("downtime_credits_due").on(t.dueAt).where(sql`state = 'proposed'`),
    // the administrator's list, newest month first
    index("downtime_credits_month").on(t.month),
    check("downtime_credits_state", oneOf(t.state, DOWNTIME_CREDIT_STATES)),
    check("downtime_credits_minutes", sql`${t.minutes} > 0`),
  ],
);

export interface CreditedInterval {
  /** ISO 8601. */
  from: string;
  to: string;
  /** Up to three reasons of the incidents at that time; without any incident: `no fresh signals`. */
  what: string;
}

/** Groups of subscribers who were found to have the same address when identities were migrated. */
export const sharedAddresses = pgTable(
  "shared_addresses",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    subscriptionIds: integer("subscription_ids").array().notNull(),
    createdAt: createdAt(),
    /** When an administrator reviewed the group. */
    reviewedAt: instant("reviewed_at"),
  },
  (t) => [
    // groups that need review
    index("shared_addresses_waiting").on(t.createdAt).where(sql`reviewed_at is null`),
  ],
);
