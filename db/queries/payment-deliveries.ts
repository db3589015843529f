import {
  and,
  asc,
  type Column,
  count,
  desc,
  eq,
  gt,
  inArray,
  isNull,
  ne,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { invoices, paymentDeliveries, sharedAddresses, subscriptions } from "@/db/schema";
import type { PaymentAdapterName } from "@/lib/vocabulary";
import { columns, number, type Row, safeInteger, text, timestamp, timestampOrNull } from "./columns";
import type { ExportPage } from "./export-pages";
import { array } from "./parameters";

export type NewPaymentDelivery = Pick<
  typeof paymentDeliveries.$inferInsert,
  | "adapter"
  | "bodyDigest"
  | "event"
  | "invoiceId"
  | "emailHash"
  | "payloadEncrypted"
  | "action"
  | "reason"
  | "flags"
  | "answer"
  | "reviewedAt"
  | "isTest"
  | "nReceived"
>;

/** Whether a payment delivery with this digest of its body is stored with another action than `rejected`. */
export async function wasPaymentDeliveryApplied(tx: Transaction, digest: string): Promise<boolean> {
  const [row] = await tx
    .select({ id: paymentDeliveries.id })
    .from(paymentDeliveries)
    .where(and(eq(paymentDeliveries.bodyDigest, digest), ne(paymentDeliveries.action, "rejected")));
  return row !== undefined;
}

/**
 * Stores a payment delivery, or adds its `nReceived` arrivals to the stored one if the same bytes are stored already. Then
 * the stored result is replaced only if the action was `rejected`.
 */
export async function recordPaymentDelivery(
  tx: Transaction,
  row: NewPaymentDelivery,
): Promise<{ id: number; nReceived: number }> {
  const isRejected = sql`${paymentDeliveries.action} = 'rejected'`;
  const again = <T>(column: Column, value: SQL<T>) =>
    sql`case when ${isRejected} then ${value} else ${column} end`;
  const excluded = (column: Column) => sql`excluded.${sql.identifier(column.name)}`;
  const { invoiceId, emailHash, action, reason, flags, answer, reviewedAt } = paymentDeliveries;
  const renewed = { invoiceId, emailHash, action, reason, flags, answer, reviewedAt };
  const [recorded] = await tx
    .insert(paymentDeliveries)
    .values(row)
    .onConflictDoUpdate({
      target: paymentDeliveries.bodyDigest,
      set: {
        nReceived: sql`${paymentDeliveries.nReceived} + excluded.n_received`,
        lastReceivedAt: sql`clock_timestamp()`,
        ...Object.fromEntries(
          Object.entries(renewed).map(([name, column]) => [name, again(column, excluded(column))]),
        ),
      },
    })
    .returning({ id: paymentDeliveries.id, nReceived: paymentDeliveries.nReceived });
  if (!recorded) throw new Error("the insert returned no delivery");
  return recorded;
}

/** Flags of payment deliveries that need no review once a later delivery explains the invoice, such as its payment. */
const EXPLAINED_BY_ITS_INVOICE = [
  "free_order",
  "trial_without_end",
  "unknown_customer",
  "unknown_invoice",
  "part_of_a_period",
  "connected_account",
];

/** Marks payment deliveries of these invoices as reviewed that have a flag of EXPLAINED_BY_ITS_INVOICE. */
export function markExplainedDeliveriesReviewed(
  tx: Transaction,
  invoiceIds: readonly string[],
): Promise<void> {
  return markFlaggedPaymentDeliveriesReviewed(tx, invoiceIds, EXPLAINED_BY_ITS_INVOICE);
}

/** Marks payment deliveries of these invoices as reviewed that have one of these flags. */
export async function markFlaggedPaymentDeliveriesReviewed(
  tx: Transaction,
  invoiceIds: readonly string[],
  flags: readonly string[],
): Promise<void> {
  await tx
    .update(paymentDeliveries)
    .set({ reviewedAt: sql`now()` })
    .where(
      and(
        inArray(paymentDeliveries.invoiceId, [...invoiceIds]),
        isNull(paymentDeliveries.reviewedAt),
        sql`${paymentDeliveries.flags} && ${array(flags, "text")}`,
      ),
    );
}

/** Stores that a payment delivery, which was ignored when it arrived, has an effect now. */
export async function recordPaymentDeliveryEffect(
  tx: Transaction,
  id: number,
  effect: Pick<NewPaymentDelivery, "action" | "reason">,
): Promise<void> {
  await tx.update(paymentDeliveries).set(effect).where(eq(paymentDeliveries.id, id));
}

/** Replaces the stored result of a payment delivery after the delivery was applied again. */
export async function updatePaymentDeliveryOutcome(
  tx: Transaction,
  id: number,
  outcome: Pick<NewPaymentDelivery, "action" | "reason" | "flags" | "answer" | "reviewedAt"> & {
    reappliedAt: Date;
  },
): Promise<void> {
  await tx.update(paymentDeliveries).set(outcome).where(eq(paymentDeliveries.id, id));
}

export interface PaymentDeliveryFilter {
  adapter?: PaymentAdapterName | undefined;
  /** By DELIVERY_EFFECT. */
  effect?: string | undefined;
  reason?: string | undefined;
  /** true: only unreviewed deliveries with flags; false: only deliveries without flags. */
  flagged?: boolean | undefined;
  /** An invoice id, or the four hash digits of a buyer's address, with or without `email#`. */
  q?: string | undefined;
  /** The four hash digits of `q`, if `q` is an address. */
  qHash?: string | undefined;
}

/**
 * The effect of a payment delivery, as pages show it: its action, but `no_key_revoked` or `refunded_in_part` for a refund,
 * cancellation or chargeback that revoked no key.
 */
export const DELIVERY_EFFECT: SQL<string> = sql`case
  when answer->>'keys_revoked' is distinct from '0' then action
  when 'partial_refund' = any(flags) then 'refunded_in_part'
  else 'no_key_revoked' end`;

/** Columns of a payment delivery without its payload, and the subscription and key of its invoice. */
const DELIVERY = {
  id: paymentDeliveries.id,
  adapter: paymentDeliveries.adapter,
  event: paymentDeliveries.event,
  invoiceId: paymentDeliveries.invoiceId,
  emailHash: paymentDeliveries.emailHash,
  action: paymentDeliveries.action,
  effect: DELIVERY_EFFECT,
  reason: paymentDeliveries.reason,
  flags: paymentDeliveries.flags,
  answer: paymentDeliveries.answer,
  nReceived: paymentDeliveries.nReceived,
  receivedAt: paymentDeliveries.receivedAt,
  lastReceivedAt: paymentDeliveries.lastReceivedAt,
  reappliedAt: paymentDeliveries.reappliedAt,
  reviewedAt: paymentDeliveries.reviewedAt,
  subscriptionId: invoices.subscriptionId,
  keyId: invoices.keyId,
};

/** A page of the payment deliveries that match the filter, with their encrypted payloads, newest first. */
export async function listPaymentDeliveries(
  handle: DatabaseHandle,
  filter: PaymentDeliveryFilter & { limit: number; offset: number },
) {
  const newestFirst = [desc(paymentDeliveries.receivedAt), desc(paymentDeliveries.id)];
  // The page comes first, so that the deliveries before it are not joined.
  const page = handle
    .select({ id: paymentDeliveries.id })
    .from(paymentDeliveries)
    .where(deliveryCondition(filter))
    .orderBy(...newestFirst)
    .limit(filter.limit)
    .offset(filter.offset)
    .as("page");
  return handle
    .select({
      ...DELIVERY,
      planTier: invoices.planTier,
      userName: subscriptions.userName,
      payloadEncrypted: paymentDeliveries.payloadEncrypted,
    })
    .from(page)
    .innerJoin(paymentDeliveries, eq(paymentDeliveries.id, page.id))
    .leftJoin(invoices, eq(invoices.invoiceId, paymentDeliveries.invoiceId))
    .leftJoin(subscriptions, eq(subscriptions.id, invoices.subscriptionId))
    .orderBy(...newestFirst);
}

export async function countPaymentDeliveries(
  handle: DatabaseHandle,
  filter: PaymentDeliveryFilter,
): Promise<number> {
  const [row] = await handle.select({ n: count() }).from(paymentDeliveries).where(deliveryCondition(filter));
  return row?.n ?? 0;
}

function deliveryCondition(filter: PaymentDeliveryFilter): SQL | undefined {
  const q = filter.q?.trim();
  return and(
    filter.adapter ? eq(paymentDeliveries.adapter, filter.adapter) : undefined,
    filter.effect ? sql`${DELIVERY_EFFECT} = ${filter.effect}` : undefined,
    filter.reason ? eq(paymentDeliveries.reason, filter.reason) : undefined,
    filter.flagged === true
      ? sql`${paymentDeliveries.flags} <> '{}' and ${paymentDeliveries.reviewedAt} is null`
      : undefined,
    filter.flagged === false ? sql`cardinality(${paymentDeliveries.flags}) = 0` : undefined,
    q
      ? or(
          eq(paymentDeliveries.invoiceId, q),
          eq(paymentDeliveries.emailHash, filter.qHash ?? q.toLowerCase().replace(/^email#/, "")),
        )
      : undefined,
  );
}

const NEWEST = columns({
  adapter: text<PaymentAdapterName>("d.adapter"),
  id: safeInteger("d.id"),
  event: text<string | null>("d.event"),
  effect: text(DELIVERY_EFFECT),
  receivedAt: timestamp("d.received_at"),
});
export type NewestPaymentDelivery = Row<typeof NEWEST>;

/** The newest payment deliveries of each of these platforms, at most `max` each, newest first. */
export async function listNewestPaymentDeliveries(
  handle: DatabaseHandle,
  adapters: readonly PaymentAdapterName[],
  max: number,
): Promise<NewestPaymentDelivery[]> {
  // Compares and orders by both columns, so that the planner uses their index. By time alone it would search all
  // deliveries for those of a platform that has none.
  return NEWEST.all(
    handle,
    sql`
    select ${NEWEST.list}
      from unnest(${array([...adapters], "text")}) a (adapter)
      cross join lateral (
        select * from payment_deliveries p where (p.adapter, p.received_at) <= (a.adapter, 'infinity'::timestamptz)
         order by p.adapter desc, p.received_at desc limit ${max}) d
     where d.adapter = a.adapter
     order by d.received_at desc`,
  );
}

/** The encrypted body of a payment delivery and the facts needed to apply it again; null: no such delivery. */
export async function findPaymentDeliveryPayload(handle: DatabaseHandle, id: number) {
  const [row] = await handle
    .select({
      adapter: paymentDeliveries.adapter,
      payloadEncrypted: paymentDeliveries.payloadEncrypted,
      bodyDigest: paymentDeliveries.bodyDigest,
      receivedAt: paymentDeliveries.receivedAt,
      isTest: paymentDeliveries.isTest,
      flags: paymentDeliveries.flags,
    })
    .from(paymentDeliveries)
    .where(eq(paymentDeliveries.id, id));
  return row ?? null;
}

/**
 * Payment deliveries of one platform (`adapter`) with their encrypted bodies, oldest first: those stored under the ids of
 * these invoices or under their further names (`isOfInvoice` is true). With `subscriptionId`, which is the platform's id of
 * a subscription, also those stored under that id, and those of the last 30 days with the unreviewed flag
 * `part_of_a_period`.
 */
export async function listPaymentDeliveryPayloads(
  handle: DatabaseHandle,
  which: {
    adapter: PaymentAdapterName;
    invoiceIds: readonly string[];
    isTest: boolean;
    subscriptionId: string | null;
  },
) {
  const ids = array([...which.invoiceIds], "text");
  const ofInvoice = sql`${paymentDeliveries.invoiceId} = any(${ids} || array(
    select ${which.adapter} || ':' || n.external_id from invoice_names n where ${inArray(sql`n.invoice_id`, [...which.invoiceIds])}))`;
  const isOfSubscription = eq(paymentDeliveries.invoiceId, `${which.adapter}:${which.subscriptionId}`);
  const isCharge = sql`(${paymentDeliveries.flags} && '{part_of_a_period}' and ${paymentDeliveries.reviewedAt} is null
    and ${paymentDeliveries.receivedAt} > now() - interval '30 days')`;
  return handle
    .select({
      id: paymentDeliveries.id,
      adapter: paymentDeliveries.adapter,
      payloadEncrypted: paymentDeliveries.payloadEncrypted,
      receivedAt: paymentDeliveries.receivedAt,
      isTest: paymentDeliveries.isTest,
      action: paymentDeliveries.action,
      isOfInvoice: sql<boolean>`${ofInvoice}`,
    })
    .from(paymentDeliveries)
    .where(
      and(
        which.subscriptionId === null ? ofInvoice : or(ofInvoice, isOfSubscription, isCharge),
        eq(paymentDeliveries.adapter, which.adapter),
        eq(paymentDeliveries.isTest, which.isTest),
      ),
    )
    .orderBy(asc(paymentDeliveries.receivedAt), asc(paymentDeliveries.id));
}

/** One payment delivery without its payload, with its invoice; null: no such delivery. */
export async function findPaymentDelivery(handle: DatabaseHandle, id: number) {
  const [row] = await handle
    .select({
      ...DELIVERY,
      invoiceState: invoices.state,
      planTier: invoices.planTier,
      userName: subscriptions.userName,
      erasedAt: subscriptions.erasedAt,
      amount: sql<string | null>`trim_scale(${invoices.amount})::text`,
      currency: invoices.currency,
      productId: invoices.productId,
      paidAt: invoices.paidAt,
      endedAt: invoices.endedAt,
    })
    .from(paymentDeliveries)
    .leftJoin(invoices, eq(invoices.invoiceId, paymentDeliveries.invoiceId))
    .leftJoin(subscriptions, eq(subscriptions.id, invoices.subscriptionId))
    .where(eq(paymentDeliveries.id, id));
  return row ?? null;
}

/** Marks a payment delivery as reviewed. Returns false if it was reviewed already. */
export async function setPaymentDeliveryReviewed(handle: DatabaseHandle, id: number): Promise<boolean> {
  const rows = await handle
    .update(paymentDeliveries)
    .set({ reviewedAt: sql`now()` })
    .where(and(eq(paymentDeliveries.id, id), isNull(paymentDeliveries.reviewedAt)))
    .returning({ id: paymentDeliveries.id });
  return rows.length > 0;
}

/** Groups of subscribers with the same address that no administrator has reviewed: the oldest 100. A migration stored them. */
export async function listSharedAddresses(handle: DatabaseHandle) {
  return handle
    .select({
      id: sharedAddresses.id,
      subscribers: sql<{ id: number; userName: string }[]>`(
        select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'userName', s.user_name) order by s.id), '[]')
          from subscriptions s where s.id = any(${sharedAddresses.subscriptionIds}))`,
    })
    .from(sharedAddresses)
    .where(isNull(sharedAddresses.reviewedAt))
    .orderBy(asc(sharedAddresses.createdAt), asc(sharedAddresses.id))
    .limit(100);
}

/** Marks all groups of subscribers with the same address as reviewed. Returns the number of newly marked groups. */
export async function markSharedAddressesReviewed(handle: DatabaseHandle): Promise<number> {
  const rows = await handle
    .update(sharedAddresses)
    .set({ reviewedAt: sql`now()` })
    .where(isNull(sharedAddresses.reviewedAt))
    .returning({ id: sharedAddresses.id });
  return rows.length;
}

/** A page of the payment deliveries, without their payloads, for the operator's export. */
export async function listPaymentDeliveriesForExport(handle: DatabaseHandle, { afterId, limit }: ExportPage) {
  return handle
    .select(DELIVERY)
    .from(paymentDeliveries)
    .leftJoin(invoices, eq(invoices.invoiceId, paymentDeliveries.invoiceId))
    .where(gt(paymentDeliveries.id, afterId))
    .orderBy(asc(paymentDeliveries.id))
    .limit(limit);
}

/** Id of the newest payment delivery about a subscriber's invoices that has unreviewed flags; null: none. */
export async function findPaymentDeliveryToReview(
  handle: DatabaseHandle,
  subscriptionId: number,
): Promise<number | null> {
  const [row] = await handle
    .select({ id: paymentDeliveries.id })
    .from(paymentDeliveries)
    .innerJoin(invoices, eq(invoices.invoiceId, paymentDeliveries.invoiceId))
    .where(and(eq(invoices.subscriptionId, subscriptionId), deliveryCondition({ flagged: true })))
    .orderBy(desc(paymentDeliveries.receivedAt), desc(paymentDeliveries.id))
    .limit(1);
  return row?.id ?? null;
}

const WAITING = columns({
  /**
   * Number of unreviewed items: flagged deliveries of the last 30 days, and groups of subscribers with the same
   * address.
   */
  flagged: number(`(select count(*)::int from payment_deliveries
    where flags <> '{}' and reviewed_at is null and received_at > now() - interval '30 days')
    + (select count(*)::int from shared_addresses where reviewed_at is null)`),
  lastReceivedAt: timestampOrNull(
    "(select received_at from payment_deliveries order by received_at desc limit 1)",
  ),
});

export interface PaymentDeliveryCounts extends Row<typeof WAITING> {
  /** Deliveries received since midnight UTC, by action. A refund, cancellation or chargeback that revoked no key: no_key_revoked. */
  today: Record<string, number>;
}

/** Number of today's payment deliveries by effect, number of items to review, and time of the newest delivery. */
export async function readPaymentDeliveryCounts(handle: DatabaseHandle): Promise<PaymentDeliveryCounts> {
  const [actions, waiting] = await Promise.all([
    handle.execute<{ action: string; n: number }>(sql`
      select ${DELIVERY_EFFECT} as action, count(*)::int as n
        from payment_deliveries
       where received_at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' group by 1`),
    WAITING.one(handle, sql`select ${WAITING.list}`),
  ]);
  return { today: Object.fromEntries(actions.map(({ action, n }) => [action, n])), ...waiting };
}
