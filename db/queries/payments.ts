import { and, asc, desc, eq, inArray, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import { NAMESPACES } from "@/db/advisory-locks";
import type { Handle, Transaction } from "@/db/client";
import {
  apiKeys,
  invoiceNames,
  invoices,
  paidTime,
  paymentDeliveries,
  paymentGraces,
  platformCustomers,
  platformSubscribers,
  products,
  subscriptions,
} from "@/db/schema";
import type { INVOICE_STATES, PaymentAdapterName, PlanTier, RevokingEvent } from "@/lib/vocabulary";
import { columns, flag, type Row, text } from "./columns";
import { isUnended, planInForce } from "./key-state";
import { withWhatBecame } from "./paid-time";
import { array } from "./parameters";
import { waitPatiently } from "./patience";
import { PRODUCT } from "./products";

/** What the products of one platform buy, by their ids; of all platforms when none is named. */
export async function listProducts(handle: Handle, adapter?: PaymentAdapterName) {
  return handle
    .select(PRODUCT)
    .from(products)
    .where(adapter === undefined ? undefined : eq(products.adapter, adapter))
    .orderBy(asc(products.adapter), asc(products.externalId));
}

/**
 * Waits until no other transaction works on this invoice or on this buyer, and holds both to the end: always the
 * invoice first, then the address.
 */
export async function lockPayment(
  tx: Transaction,
  invoiceId: string,
  emailNormalized: string | null,
): Promise<void> {
  const invoice = sql`pg_advisory_xact_lock(hashtextextended(${invoiceId}, ${NAMESPACES.invoice}))`;
  // The columns of a row are computed from left to right.
  await tx.execute(
    emailNormalized === null ? waitPatiently(invoice) : waitPatiently(invoice, addressLock(emailNormalized)),
  );
}

/**
 * Waits until no other transaction works on what a platform calls by one of these names, and holds them to the end. Taken
 * before the invoice that they turn out to belong to, always.
 */
export async function lockInvoiceNames(
  tx: Transaction,
  adapter: PaymentAdapterName,
  externalIds: readonly string[],
): Promise<void> {
  const locks = [...new Set(externalIds)]
    .sort()
    .map(
      (id) => sql`pg_advisory_xact_lock(hashtextextended(${`name/${adapter}:${id}`}, ${NAMESPACES.invoice}))`,
    );
  if (locks.length > 0) await tx.execute(waitPatiently(...locks));
}

/** The address alone, for who holds the invoice and learnt from it whose it is. */
export async function lockEmail(tx: Transaction, emailNormalized: string): Promise<void> {
  await tx.execute(sql`select ${addressLock(emailNormalized)}`);
}

const addressLock = (emailNormalized: string) =>
  sql`pg_advisory_xact_lock(hashtextextended(${emailNormalized}, ${NAMESPACES.buyer}))`;

export interface BuyerKey {
  keyId: number;
  subscriptionId: number;
  userName: string;
  planTier: PlanTier;
  expiresAt: Date | null;
  suspendedAt: Date | null;
  /** Set for a try-out key. */
  delayCandles: number | null;
}

/**
 * Locks and returns the keys of an address that are neither revoked nor replaced, expired ones too, newest first.
 *
 * The subscriptions are locked first, as a rotation does: it has either happened, and its new key is in the list, or
 * it waits and will find the key as it was left here. `no key update` lets reports of executions pass meanwhile.
 */
export async function lockKeysByEmail(tx: Transaction, emailNormalized: string): Promise<BuyerKey[]> {
  const held = await tx
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(eq(subscriptions.emailNormalized, emailNormalized))
    .orderBy(asc(subscriptions.id))
    .for("no key update");
  if (held.length === 0) return [];
  return tx
    .select({
      keyId: apiKeys.id,
      subscriptionId: apiKeys.subscriptionId,
      userName: subscriptions.userName,
      planTier: planInForce(),
      expiresAt: apiKeys.expiresAt,
      suspendedAt: apiKeys.suspendedAt,
      delayCandles: apiKeys.delayCandles,
    })
    .from(apiKeys)
    .innerJoin(subscriptions, eq(subscriptions.id, apiKeys.subscriptionId))
    .where(and(eq(subscriptions.emailNormalized, emailNormalized), isUnended()))
    .orderBy(desc(apiKeys.id))
    .for("update", { of: apiKeys });
}

/**
 * Switches off keys that are locked by the caller: for good, or until the chargeback of an invoice is won.
 */
export async function revokeKeys(
  tx: Transaction,
  keyIds: number[],
  { at, chargedBack }: { at: Date; chargedBack: string | null },
): Promise<void> {
  await tx
    .update(apiKeys)
    .set({ revokedAt: at, revokedByInvoice: chargedBack })
    .where(inArray(apiKeys.id, keyIds));
}

/** Makes revocations by chargebacks final: those of an address, but for one invoice, or those by an invoice. */
export async function makeRevocationsFinal(
  tx: Transaction,
  which: { emailNormalized: string; butFor: string | null } | { invoiceId: string },
): Promise<void> {
  const these =
    "invoiceId" in which
      ? eq(apiKeys.revokedByInvoice, which.invoiceId)
      : and(
          isNotNull(apiKeys.revokedByInvoice),
          which.butFor === null ? undefined : ne(apiKeys.revokedByInvoice, which.butFor),
          inArray(
            apiKeys.subscriptionId,
            tx
              .select({ id: subscriptions.id })
              .from(subscriptions)
              .where(eq(subscriptions.emailNormalized, which.emailNormalized)),
          ),
        );
  await tx.update(apiKeys).set({ revokedByInvoice: null }).where(these);
}

/** The addresses whose keys the chargeback of an invoice switched off, in the order in which they are locked. */
export async function listOwnersOfChargedBack(handle: Handle, invoiceId: string): Promise<string[]> {
  const rows = await handle
    .selectDistinct({ address: sql<string>`${subscriptions.emailNormalized}` })
    .from(apiKeys)
    .innerJoin(subscriptions, eq(subscriptions.id, apiKeys.subscriptionId))
    .where(and(eq(apiKeys.revokedByInvoice, invoiceId), isNotNull(subscriptions.emailNormalized)))
    .orderBy(asc(subscriptions.emailNormalized));
  return rows.map(({ address }) => address);
}

/** Switches on again what the chargeback of an invoice switched off, newest first. The caller holds the buyer. */
export async function unrevokeKeys(tx: Transaction, invoiceId: string) {
  const held = await tx
    .select({
      keyId: apiKeys.id,
      subscriptionId: apiKeys.subscriptionId,
      userName: subscriptions.userName,
      email: subscriptions.email,
      expiresAt: apiKeys.expiresAt,
      suspendedAt: apiKeys.suspendedAt,
      // Set with the invoice, always.
      revokedAt: sql<Date>`${apiKeys.revokedAt}`.mapWith(apiKeys.revokedAt),
    })
    .from(apiKeys)
    .innerJoin(subscriptions, eq(subscriptions.id, apiKeys.subscriptionId))
    .where(eq(apiKeys.revokedByInvoice, invoiceId))
    .orderBy(desc(apiKeys.id))
    .for("update", { of: apiKeys });
  await tx
    .update(apiKeys)
    .set({ revokedAt: null, revokedByInvoice: null })
    .where(eq(apiKeys.revokedByInvoice, invoiceId));
  return held;
}

/** An invoice that a chargeback ended counts as paid again, where a payment of it was ever applied. */
export async function reopenInvoice(tx: Transaction, invoiceId: string): Promise<void> {
  // Days that became those of another plan before stay with that.
  await tx
    .update(paidTime)
    .set({ endedAt: null })
    .where(
      and(
        withWhatBecame(sql`p.invoice_id = ${invoiceId}`),
        sql`${paidTime.endedAt} = (select i.ended_at from invoices i where i.invoice_id = ${invoiceId}
          and i.ended_by = ${"payment.invoice_chargeback" satisfies RevokingEvent})`,
      ),
    );
  await tx
    .update(invoices)
    .set({ state: "paid", endedAt: null, endedBy: null })
    .where(
      and(
        eq(invoices.invoiceId, invoiceId),
        isNotNull(invoices.effect),
        eq(invoices.endedBy, "payment.invoice_chargeback" satisfies RevokingEvent),
      ),
    );
}

/** Records what else a platform calls an invoice. The first to tell a name has it. */
export async function insertInvoiceNames(
  handle: Handle,
  adapter: PaymentAdapterName,
  invoiceId: string,
  externalIds: readonly string[],
): Promise<void> {
  if (externalIds.length === 0) return;
  await handle
    .insert(invoiceNames)
    .values(externalIds.map((externalId) => ({ adapter, externalId, invoiceId })))
    .onConflictDoNothing();
}

/** The invoice that a platform calls by one of these names too; null when none is known. */
export async function findInvoiceByName(
  handle: Handle,
  adapter: PaymentAdapterName,
  externalIds: readonly string[],
): Promise<string | null> {
  if (externalIds.length === 0) return null;
  const [row] = await handle
    .select({ invoiceId: invoiceNames.invoiceId })
    .from(invoiceNames)
    .where(and(eq(invoiceNames.adapter, adapter), inArray(invoiceNames.externalId, [...externalIds])))
    .limit(1);
  return row?.invoiceId ?? null;
}

const KNOWN_INVOICE = columns({
  invoiceId: text("known.invoice_id"),
  /** null: a name was told, and nothing was paid or ended yet. */
  state: text<(typeof INVOICE_STATES)[number] | null>("i.state"),
  wasPaid: flag("coalesce(i.effect is not null, false)"),
  endedBy: text<RevokingEvent | null>("i.ended_by"),
  email: text<string | null>("s.email"),
  emailNormalized: text<string | null>("s.email_normalized"),
});
export type KnownInvoice = Row<typeof KNOWN_INVOICE>;

/**
 * The invoices that are kept under one of these names of a platform, or that one of them is another name of: paid ones
 * first, then ended ones. More than one where what arrived apart turns out to be one purchase.
 */
export async function listInvoicesByNames(
  handle: Handle,
  adapter: PaymentAdapterName,
  externalIds: readonly string[],
): Promise<KnownInvoice[]> {
  if (externalIds.length === 0) return [];
  return KNOWN_INVOICE.all(
    handle,
    sql`
    select ${KNOWN_INVOICE.list}
      from (select i.invoice_id from invoices i
             where i.invoice_id = any(${array(
               externalIds.map((id) => `${adapter}:${id}`),
               "text",
             )})
            union
            select n.invoice_id from invoice_names n
             where n.adapter = ${adapter} and n.external_id = any(${array([...externalIds], "text")})) known
      left join invoices i on i.invoice_id = known.invoice_id
      left join subscriptions s on s.id = i.subscription_id
     order by i.effect is null, i.state is null, known.invoice_id`,
  );
}

/** Keeps whom a link of this service named for a subscription of a platform. The first to tell it has it. */
export async function insertPlatformSubscriber(
  tx: Transaction,
  row: { adapter: PaymentAdapterName; externalSubscriptionId: string; subscriptionId: number },
): Promise<void> {
  await tx.insert(platformSubscribers).values(row).onConflictDoNothing();
}

/** Whom a link of this service named for a subscription of a platform; null where none did. */
export async function findLinkedSubscriber(
  handle: Handle,
  adapter: PaymentAdapterName,
  externalSubscriptionId: string,
) {
  const [row] = await handle
    .select({ email: subscriptions.email, emailNormalized: subscriptions.emailNormalized })
    .from(platformSubscribers)
    .innerJoin(subscriptions, eq(subscriptions.id, platformSubscribers.subscriptionId))
    .where(
      and(
        eq(platformSubscribers.adapter, adapter),
        eq(platformSubscribers.externalSubscriptionId, externalSubscriptionId),
      ),
    );
  return row ?? null;
}

/**
 * Whose a subscription of a platform is, by the newest invoice that paid for it, or by the one that is called by its
 * name too; null while none is known.
 */
export async function findPlatformSubscriber(
  handle: Handle,
  adapter: PaymentAdapterName,
  externalSubscriptionId: string,
) {
  const named = await findInvoiceByName(handle, adapter, [externalSubscriptionId]);
  const [row] = await handle
    .select({
      email: subscriptions.email,
      emailNormalized: subscriptions.emailNormalized,
      productId: invoices.productId,
    })
    .from(invoices)
    .innerJoin(subscriptions, eq(subscriptions.id, invoices.subscriptionId))
    .where(
      and(
        eq(invoices.adapter, adapter),
        isNotNull(invoices.effect),
        named === null
          ? eq(invoices.externalSubscriptionId, externalSubscriptionId)
          : or(eq(invoices.externalSubscriptionId, externalSubscriptionId), eq(invoices.invoiceId, named)),
      ),
    )
    .orderBy(desc(invoices.createdAt))
    .limit(1);
  return row ?? null;
}

/** The address of a subscription; null when there is none with this id. */
export async function findSubscriptionAddress(handle: Handle, subscriptionId: number) {
  const [row] = await handle
    .select({ email: subscriptions.email, emailNormalized: subscriptions.emailNormalized })
    .from(subscriptions)
    .where(eq(subscriptions.id, subscriptionId));
  return row ?? null;
}

/** Keeps who a customer of a platform is. */
export async function writePlatformCustomer(
  handle: Handle,
  row: { adapter: PaymentAdapterName; externalId: string; buyerEncrypted: string; emailHash: string },
): Promise<void> {
  await handle
    .insert(platformCustomers)
    .values(row)
    .onConflictDoUpdate({
      target: [platformCustomers.adapter, platformCustomers.externalId],
      set: { buyerEncrypted: row.buyerEncrypted, emailHash: row.emailHash, updatedAt: sql`now()` },
    });
}

/** Who a customer of a platform is, encrypted; null while that is not known. */
export async function findPlatformCustomer(
  handle: Handle,
  adapter: PaymentAdapterName,
  externalId: string,
): Promise<string | null> {
  const [row] = await handle
    .select({ buyerEncrypted: platformCustomers.buyerEncrypted })
    .from(platformCustomers)
    .where(and(eq(platformCustomers.adapter, adapter), eq(platformCustomers.externalId, externalId)));
  return row?.buyerEncrypted ?? null;
}

export type Invoice = typeof invoices.$inferSelect;

/** An invoice with the address behind it; null while nothing is known of it. */
export async function findInvoice(handle: Handle, invoiceId: string) {
  const [row] = await handle
    .select({
      state: invoices.state,
      subscriptionId: invoices.subscriptionId,
      emailNormalized: subscriptions.emailNormalized,
      amount: invoices.amount,
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

/** Paid invoices that were applied, with whom, the key that has their time, and the earliest first. */
export async function listAppliedInvoices(
  tx: Transaction,
  which: { invoiceIds: readonly string[] } | { adapter: PaymentAdapterName; externalSubscriptionId: string },
) {
  return tx
    .select({
      invoiceId: invoices.invoiceId,
      adapter: invoices.adapter,
      effect: invoices.effect,
      productId: invoices.productId,
      amount: sql<string | null>`trim_scale(${invoices.amount})::text`,
      currency: invoices.currency,
      paidAt: sql<Date>`coalesce(${invoices.paidAt}, ${invoices.createdAt})`.mapWith(invoices.createdAt),
      subscriptionId: subscriptions.id,
      userName: subscriptions.userName,
      email: subscriptions.email,
      emailNormalized: subscriptions.emailNormalized,
      /** null where its time was ended, or is from before the ledger. */
      heldBy: paidTime.keyId,
    })
    .from(invoices)
    .innerJoin(subscriptions, eq(subscriptions.id, invoices.subscriptionId))
    .leftJoin(paidTime, eq(paidTime.invoiceId, invoices.invoiceId))
    .where(
      and(
        eq(invoices.state, "paid"),
        isNotNull(invoices.effect),
        "invoiceIds" in which
          ? inArray(invoices.invoiceId, [...which.invoiceIds])
          : and(
              eq(invoices.adapter, which.adapter),
              eq(invoices.externalSubscriptionId, which.externalSubscriptionId),
            ),
      ),
    )
    .orderBy(asc(invoices.createdAt), asc(invoices.invoiceId));
}

export type AppliedInvoice = Awaited<ReturnType<typeof listAppliedInvoices>>[number];

/** Gives an invoice to another subscriber, with what it does there. */
export async function moveInvoice(
  tx: Transaction,
  invoiceId: string,
  to: Pick<typeof invoices.$inferInsert, "subscriptionId" | "keyId" | "emailHash" | "effect" | "expiresAt">,
): Promise<void> {
  await tx.update(invoices).set(to).where(eq(invoices.invoiceId, invoiceId));
}

export async function setInvoiceEffect(
  tx: Transaction,
  invoiceId: string,
  effect: (typeof invoices.$inferInsert)["effect"],
): Promise<void> {
  await tx.update(invoices).set({ effect }).where(eq(invoices.invoiceId, invoiceId));
}

/** Lets every name of an invoice, and what it was delivered as, mean another invoice. */
export async function renameInvoice(tx: Transaction, invoiceId: string, to: string): Promise<void> {
  await tx.update(invoiceNames).set({ invoiceId: to }).where(eq(invoiceNames.invoiceId, invoiceId));
  await tx.update(paymentDeliveries).set({ invoiceId: to }).where(eq(paymentDeliveries.invoiceId, invoiceId));
}

/** Deletes an invoice with its time: it is part of another one. */
export async function deleteInvoice(tx: Transaction, invoiceId: string): Promise<void> {
  await tx.delete(invoices).where(eq(invoices.invoiceId, invoiceId));
}

/** Ends an invoice for good, with the time that it bought; one that has ended stays as it is. */
export async function endInvoice(
  tx: Transaction,
  row: {
    invoiceId: string;
    adapter: PaymentAdapterName;
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
  // A refund that names another buyer leaves the payer's access alone.
  await tx
    .update(paidTime)
    .set({ endedAt: row.endedAt })
    .where(
      and(
        withWhatBecame(sql`p.invoice_id = ${row.invoiceId}`),
        isNull(paidTime.endedAt),
        sql`${paidTime.subscriptionId} in (select own.id from subscriptions own join subscriptions named
          on own.id = named.id or own.email_normalized = named.email_normalized where named.id = ${row.subscriptionId})`,
      ),
    );
}

/** Records how much of an invoice was given back so far; it never becomes less. Unknown invoices stay unknown. */
export async function recordPartialRefund(tx: Transaction, invoiceId: string, amount: string): Promise<void> {
  await tx
    .update(invoices)
    .set({ refundedAmount: sql`greatest(${invoices.refundedAmount}, ${amount}::numeric)` })
    .where(eq(invoices.invoiceId, invoiceId));
}

/** The grace that began after the subscription's newest payment; null when no payment failed since. */
export async function findOpenGrace(handle: Handle, subscriptionId: number) {
  const [row] = await handle
    .select({ graceId: paymentGraces.id, nFailures: paymentGraces.nFailures, endsAt: paymentGraces.endsAt })
    .from(paymentGraces)
    .where(
      and(
        eq(paymentGraces.subscriptionId, subscriptionId),
        sql`${paymentGraces.createdAt} > coalesce((select max(paid.created_at) from invoices paid
          where paid.subscription_id = ${subscriptionId} and paid.state = 'paid'), '-infinity')`,
      ),
    )
    .orderBy(desc(paymentGraces.createdAt))
    .limit(1);
  return row ?? null;
}

/** Begins a grace after a first failure; returns its id. */
export async function insertGrace(
  tx: Transaction,
  row: Pick<typeof paymentGraces.$inferInsert, "subscriptionId" | "invoiceId" | "endsAt">,
): Promise<number> {
  const [inserted] = await tx
    .insert(paymentGraces)
    .values({ ...row, createdAt: sql`clock_timestamp()` })
    .returning({ id: paymentGraces.id });
  if (!inserted) throw new Error("the insert returned no grace");
  return inserted.id;
}

/** Counts one more failure of a grace that is under way. */
export async function countFailure(tx: Transaction, graceId: number): Promise<void> {
  await tx
    .update(paymentGraces)
    .set({ nFailures: sql`${paymentGraces.nFailures} + 1` })
    .where(eq(paymentGraces.id, graceId));
}

/**
 * What a buyer has paid for and lost: of the invoices behind an address whose days are not over, the one that lasts
 * longest. Paid ones count, and one that a chargeback ended when that was won.
 */
export async function findPaidAhead(handle: Handle, emailNormalized: string, wonInvoiceId: string | null) {
  const [row] = await handle
    .select({
      invoiceId: invoices.invoiceId,
      subscriptionId: subscriptions.id,
      userName: subscriptions.userName,
      email: subscriptions.email,
      // Only purchases have an end, and every purchase has a plan.
      planTier: sql<PlanTier>`${invoices.planTier}`,
      expiresAt: sql<Date>`${invoices.expiresAt}`.mapWith(invoices.expiresAt),
    })
    .from(invoices)
    .innerJoin(subscriptions, eq(subscriptions.id, invoices.subscriptionId))
    .where(
      and(
        eq(subscriptions.emailNormalized, emailNormalized),
        or(
          eq(invoices.state, "paid"),
          wonInvoiceId === null
            ? undefined
            : and(
                eq(invoices.invoiceId, wonInvoiceId),
                eq(invoices.endedBy, "payment.invoice_chargeback" satisfies RevokingEvent),
              ),
        ),
        sql`${invoices.expiresAt} > now()`,
        isNotNull(invoices.planTier),
      ),
    )
    .orderBy(desc(invoices.expiresAt))
    .limit(1);
  return row ?? null;
}

export type PaidAhead = NonNullable<Awaited<ReturnType<typeof findPaidAhead>>>;

/** Whether the address has a key that was neither revoked nor replaced. */
export async function hasUnendedKey(handle: Handle, emailNormalized: string): Promise<boolean> {
  const [row] = await handle
    .select({ one: sql`1` })
    .from(apiKeys)
    .innerJoin(subscriptions, eq(subscriptions.id, apiKeys.subscriptionId))
    .where(and(eq(subscriptions.emailNormalized, emailNormalized), isUnended()))
    .limit(1);
  return row !== undefined;
}

/** The invoices of a subscription that were paid, newest first, with what each did. */
export async function listInvoices(handle: Handle, subscriptionId: number) {
  return handle
    .select({
      invoiceId: invoices.invoiceId,
      paidAt: sql<Date>`coalesce(${invoices.paidAt}, ${invoices.createdAt})`.mapWith(invoices.createdAt),
      productId: invoices.productId,
      planTier: sql<PlanTier | null>`${invoices.planTier}`,
      amount: sql<string | null>`trim_scale(${invoices.amount})::text`,
      currency: invoices.currency,
      effect: invoices.effect,
      expiresAt: invoices.expiresAt,
      state: invoices.state,
      endedAt: invoices.endedAt,
      endedBy: invoices.endedBy,
      refundedAmount: sql<string | null>`trim_scale(${invoices.refundedAmount})::text`,
    })
    .from(invoices)
    .where(and(eq(invoices.subscriptionId, subscriptionId), isNotNull(invoices.effect)))
    .orderBy(desc(invoices.createdAt), desc(invoices.invoiceId));
}

export type PaidInvoice = Awaited<ReturnType<typeof listInvoices>>[number];

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

/** The invoice that set the present end of access; null when it was not set by a payment. */
export async function findAccessInvoice(handle: Handle, subscriptionId: number) {
  const [row] = await handle
    .select({ invoiceId: invoices.invoiceId, paidAt: invoices.paidAt, expiresAt: invoices.expiresAt })
    .from(invoices)
    .where(
      and(
        eq(invoices.subscriptionId, subscriptionId),
        eq(invoices.state, "paid"),
        isNotNull(invoices.expiresAt),
      ),
    )
    .orderBy(desc(invoices.createdAt))
    .limit(1);
  return row ?? null;
}
