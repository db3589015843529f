import { and, asc, count, desc, eq, inArray, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import type { Handle, Transaction } from "../client";
import { apiKeys, invoices, paymentDeliveries, products, subscriptions } from "../schema";

/** The product map, by product id. */
export async function listProducts(handle: Handle) {
  return handle.select().from(products).orderBy(asc(products.productId));
}

/** Namespaces of advisory locks, so that an invoice and an address with one hash stay apart. */
const INVOICE_LOCKS = 7_310_010;
const EMAIL_LOCKS = 7_310_011;

/**
 * Waits until no other transaction works on this invoice or on this buyer, and holds both to the end: always the
 * invoice first, then the address.
 */
export async function lockPayment(
  tx: Transaction,
  invoiceId: string,
  emailNormalized: string | null,
): Promise<void> {
  if (emailNormalized === null) {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${invoiceId}, ${INVOICE_LOCKS}))`);
    return;
  }
  // The columns of a row are computed from left to right.
  await tx.execute(sql`
    select pg_advisory_xact_lock(hashtextextended(${invoiceId}, ${INVOICE_LOCKS})),
           pg_advisory_xact_lock(hashtextextended(${emailNormalized}, ${EMAIL_LOCKS}))`);
}

/** The address alone, for who holds the invoice and learnt from it whose it is. */
export async function lockEmail(tx: Transaction, emailNormalized: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${emailNormalized}, ${EMAIL_LOCKS}))`);
}

const unended = and(isNull(apiKeys.revokedAt), isNull(apiKeys.rotatedAt));

export interface BuyerKey {
  keyId: number;
  subscriptionId: number;
  planTier: "telegram" | "basic" | "pro" | "owner";
  expiresAt: Date | null;
}

/**
 * Locks and returns the keys of an address that are neither revoked nor replaced, expired ones too, newest first.
 *
 * The subscriptions are locked first, as a rotation does: it has either happened, and its new key is in the list, or
 * it waits and will find the key as it was left here. `no key update` lets reports of executions pass meanwhile.
 */
export async function lockKeysByEmail(tx: Transaction, emailNormalized: string): Promise<BuyerKey[]> {
  await tx
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(eq(subscriptions.emailNormalized, emailNormalized))
    .orderBy(asc(subscriptions.id))
    .for("no key update");
  return tx
    .select({
      keyId: apiKeys.id,
      subscriptionId: apiKeys.subscriptionId,
      planTier: apiKeys.planTier,
      expiresAt: apiKeys.expiresAt,
    })
    .from(apiKeys)
    .innerJoin(subscriptions, eq(subscriptions.id, apiKeys.subscriptionId))
    .where(and(eq(subscriptions.emailNormalized, emailNormalized), unended))
    .orderBy(desc(apiKeys.id))
    .for("update", { of: apiKeys });
}

/** The newest subscription under an address, whatever became of its keys; null for a new buyer. */
export async function findNewestSubscription(handle: Handle, emailNormalized: string) {
  const [row] = await handle
    .select({
      subscriptionId: subscriptions.id,
      userName: subscriptions.userName,
      email: subscriptions.email,
    })
    .from(subscriptions)
    .where(eq(subscriptions.emailNormalized, emailNormalized))
    .orderBy(desc(subscriptions.id))
    .limit(1);
  return row ?? null;
}

/** Opens a subscription for a buyer; returns its id. */
export async function insertSubscription(
  tx: Transaction,
  row: { userName: string; email: string; emailNormalized: string },
): Promise<number> {
  const [inserted] = await tx.insert(subscriptions).values(row).returning({ id: subscriptions.id });
  if (!inserted) throw new Error("the insert returned no subscription");
  return inserted.id;
}

/** Stores a bought key; returns its id. */
export async function insertBoughtKey(
  tx: Transaction,
  row: {
    subscriptionId: number;
    keyHash: string;
    hint: string;
    planTier: "telegram" | "basic" | "pro";
    expiresAt: Date;
  },
): Promise<number> {
  const [inserted] = await tx.insert(apiKeys).values(row).returning({ id: apiKeys.id });
  if (!inserted) throw new Error("the insert returned no key");
  return inserted.id;
}

/** Moves plan and end of a key that is locked by the caller. */
export async function updateGrant(
  tx: Transaction,
  keyId: number,
  grant: { planTier: BuyerKey["planTier"]; expiresAt: Date | null },
): Promise<void> {
  await tx.update(apiKeys).set(grant).where(eq(apiKeys.id, keyId));
}

/** Switches off keys that are locked by the caller. */
export async function revokeKeys(tx: Transaction, keyIds: number[], at: Date): Promise<void> {
  await tx.update(apiKeys).set({ revokedAt: at }).where(inArray(apiKeys.id, keyIds));
}

export type Invoice = typeof invoices.$inferSelect;

/** An invoice with the address behind it; null while nothing is known of it. */
export async function findInvoice(handle: Handle, invoiceId: string) {
  const [row] = await handle
    .select({
      state: invoices.state,
      subscriptionId: invoices.subscriptionId,
      emailNormalized: subscriptions.emailNormalized,
    })
    .from(invoices)
    .leftJoin(subscriptions, eq(subscriptions.id, invoices.subscriptionId))
    .where(eq(invoices.invoiceId, invoiceId));
  return row ?? null;
}

/** Records that an invoice was paid and what that did. The primary key makes it happen once. */
export async function insertPaidInvoice(
  tx: Transaction,
  row: Omit<typeof invoices.$inferInsert, "state">,
): Promise<void> {
  await tx.insert(invoices).values({ ...row, state: "paid" });
}

/** Ends an invoice for good; one that has ended stays as it is. */
export async function endInvoice(
  tx: Transaction,
  row: {
    invoiceId: string;
    emailHash: string | null;
    subscriptionId: number | null;
    endedAt: Date;
    endedBy: string;
  },
): Promise<void> {
  await tx
    .insert(invoices)
    .values({ ...row, state: "ended" })
    .onConflictDoUpdate({
      target: invoices.invoiceId,
      set: { state: "ended", endedAt: row.endedAt, endedBy: row.endedBy },
      setWhere: ne(invoices.state, "ended"),
    });
}

/** Whether the address has an invoice that is paid and not ended, other than this one. */
export async function hasOtherPaidInvoice(
  handle: Handle,
  emailNormalized: string,
  invoiceId: string,
): Promise<boolean> {
  const [row] = await handle
    .select({ one: sql`1` })
    .from(invoices)
    .innerJoin(subscriptions, eq(subscriptions.id, invoices.subscriptionId))
    .where(
      and(
        eq(subscriptions.emailNormalized, emailNormalized),
        eq(invoices.state, "paid"),
        ne(invoices.invoiceId, invoiceId),
      ),
    )
    .limit(1);
  return row !== undefined;
}

export type NewDelivery = Pick<
  typeof paymentDeliveries.$inferInsert,
  | "bodyDigest"
  | "event"
  | "invoiceId"
  | "emailHash"
  | "payloadEncrypted"
  | "action"
  | "reason"
  | "flags"
  | "answer"
>;

/** Whether these very bytes were received before. */
export async function findDeliveryByDigest(handle: Handle, digest: string) {
  const [row] = await handle
    .select({ id: paymentDeliveries.id })
    .from(paymentDeliveries)
    .where(eq(paymentDeliveries.bodyDigest, digest));
  return row ?? null;
}

/** Records a delivery, or counts one more arrival of the same bytes. */
export async function recordDelivery(
  tx: Transaction,
  row: NewDelivery,
): Promise<{ id: number; nReceived: number }> {
  const [recorded] = await tx
    .insert(paymentDeliveries)
    .values(row)
    .onConflictDoUpdate({
      target: paymentDeliveries.bodyDigest,
      set: { nReceived: sql`${paymentDeliveries.nReceived} + 1`, lastReceivedAt: sql`clock_timestamp()` },
    })
    .returning({ id: paymentDeliveries.id, nReceived: paymentDeliveries.nReceived });
  if (!recorded) throw new Error("the insert returned no delivery");
  return recorded;
}

/** Replaces the outcome of a delivery that was applied again. */
export async function updateDeliveryOutcome(
  tx: Transaction,
  id: number,
  outcome: Pick<NewDelivery, "action" | "reason" | "flags" | "answer"> & { reappliedAt: Date },
): Promise<void> {
  await tx.update(paymentDeliveries).set(outcome).where(eq(paymentDeliveries.id, id));
}

export interface DeliveryFilter {
  action?: string | undefined;
  reason?: string | undefined;
  /** Only those that a person should look at and nobody has. */
  flagged?: boolean | undefined;
  /** An invoice id, or the four digits of a buyer's hash with or without `email#`. */
  q?: string | undefined;
}

/** Deliveries without their payload, newest first. */
export async function listDeliveryRows(
  handle: Handle,
  filter: DeliveryFilter & { limit: number; offset: number },
) {
  return handle
    .select({
      id: paymentDeliveries.id,
      event: paymentDeliveries.event,
      invoiceId: paymentDeliveries.invoiceId,
      emailHash: paymentDeliveries.emailHash,
      action: paymentDeliveries.action,
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
    })
    .from(paymentDeliveries)
    .leftJoin(invoices, eq(invoices.invoiceId, paymentDeliveries.invoiceId))
    .where(deliveryCondition(filter))
    .orderBy(desc(paymentDeliveries.receivedAt), desc(paymentDeliveries.id))
    .limit(filter.limit)
    .offset(filter.offset);
}

export async function countDeliveries(handle: Handle, filter: DeliveryFilter): Promise<number> {
  const [row] = await handle.select({ n: count() }).from(paymentDeliveries).where(deliveryCondition(filter));
  return row?.n ?? 0;
}

function deliveryCondition(filter: DeliveryFilter): SQL | undefined {
  const q = filter.q?.trim();
  return and(
    filter.action ? eq(paymentDeliveries.action, filter.action) : undefined,
    filter.reason ? eq(paymentDeliveries.reason, filter.reason) : undefined,
    filter.flagged === true
      ? sql`${paymentDeliveries.flags} <> '{}' and ${paymentDeliveries.reviewedAt} is null`
      : undefined,
    filter.flagged === false ? sql`cardinality(${paymentDeliveries.flags}) = 0` : undefined,
    q
      ? or(
          eq(paymentDeliveries.invoiceId, q),
          eq(paymentDeliveries.emailHash, q.toLowerCase().replace(/^email#/, "")),
        )
      : undefined,
  );
}

/** The encrypted body of a delivery, for whoever may read it. */
export async function findDeliveryPayload(handle: Handle, id: number) {
  const [row] = await handle
    .select({
      payloadEncrypted: paymentDeliveries.payloadEncrypted,
      bodyDigest: paymentDeliveries.bodyDigest,
      receivedAt: paymentDeliveries.receivedAt,
    })
    .from(paymentDeliveries)
    .where(eq(paymentDeliveries.id, id));
  return row ?? null;
}
