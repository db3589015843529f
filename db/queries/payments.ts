import { and, asc, desc, eq, inArray, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import { ADVISORY_LOCK_NAMESPACES } from "@/db/advisory-locks";
import type { DatabaseHandle, Transaction } from "@/db/client";
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
import { readClock } from "./clock";
import { boolean, columns, number, type Row, text, timestamp } from "./columns";
import { isNeitherRevokedNorRotated, planInForce } from "./key-state";
import { lockWithRaisedTimeout } from "./lock-timeout";
import { isOrDescendsFrom } from "./paid-time";

/** The products of one payment platform, or of all platforms, ordered by platform and product id. */
export async function listProducts(handle: DatabaseHandle, adapter?: PaymentAdapterName) {
  return handle
    .select()
    .from(products)
    .where(adapter === undefined ? undefined : eq(products.adapter, adapter))
    .orderBy(asc(products.adapter), asc(products.externalId));
}

/**
 * Takes the locks of these invoices and buyers' addresses until commit: always the invoices first, then the addresses, both
 * sorted, so that two deliveries about the same invoices or buyers never deadlock. Raises the lock timeout.
 */
export async function lockInvoicesAndAddresses(
  tx: Transaction,
  invoiceIds: readonly string[],
  addresses: readonly string[],
): Promise<void> {
  const locks = [...invoiceLocks(invoiceIds), ...addressLocks(addresses)];
  await tx.execute(lockWithRaisedTimeout(...locks));
}

const invoiceLocks = (ids: readonly string[]) =>
  [...new Set(ids)]
    .sort()
    .map((id) => sql`pg_advisory_xact_lock(hashtextextended(${id}, ${ADVISORY_LOCK_NAMESPACES.invoice}))`);

/**
 * Takes the locks of a platform's subscription, then of these names of an invoice, then of the invoices with these names as
 * ids, until commit. Call it before lockInvoicesAndAddresses, which locks the invoice that the names belong to: this order prevents
 * deadlocks between a payment and earlier events of the same subscription. The invoices are locked, too, because an event
 * that has another name for one of them locks none of these names.
 */
export async function lockInvoiceNames(
  tx: Transaction,
  adapter: PaymentAdapterName,
  externalIds: readonly string[],
  subscriptionId: string | null = null,
): Promise<void> {
  const named = (ids: readonly string[]) => invoiceLocks(ids.map((id) => `name/${adapter}:${id}`));
  const locks = [
    ...named(subscriptionId === null ? [] : [subscriptionId]),
    ...named(externalIds),
    ...invoiceLocks(externalIds.map((id) => `${adapter}:${id}`)),
  ];
  if (locks.length > 0) await tx.execute(lockWithRaisedTimeout(...locks));
}

/** Takes the lock of a buyer's normalised address until commit. */
export const lockBuyerAddress = (tx: Transaction, emailNormalized: string): Promise<void> =>
  lockBuyerAddresses(tx, [emailNormalized]);

/** Takes the locks of buyers' addresses until commit, sorted as in lockInvoicesAndAddresses. */
export async function lockBuyerAddresses(tx: Transaction, addresses: readonly string[]): Promise<void> {
  if (addresses.length > 0) await tx.execute(sql`select ${sql.join(addressLocks(addresses), sql`, `)}`);
}

/** The locks of these addresses as SQL, sorted, because the columns of a select list are evaluated from left to right. */
const addressLocks = (addresses: readonly string[]) =>
  [...new Set(addresses)]
    .sort()
    .map(
      (address) =>
        sql`pg_advisory_xact_lock(hashtextextended(${address}, ${ADVISORY_LOCK_NAMESPACES.buyer}))`,
    );

export interface BuyerKey {
  keyId: number;
  subscriptionId: number;
  userName: string;
  planTier: PlanTier;
  expiresAt: Date | null;
  suspendedAt: Date | null;
  /** Delay of a try-out key, in candles; null: not a try-out. */
  delayCandles: number | null;
}

/** Aggregates, so that there is always one row, and so that the clock is read after the last subscription is locked. */
const LOCKED_OWNERS = columns({ n: number("count(*)::int"), now: timestamp("clock_timestamp()") });

/**
 * Locks and returns an address's keys that are neither revoked nor rotated, expired ones included, newest first. `now` is
 * the time after all locks are held, so changes that another transaction made meanwhile are in force at `now`.
 *
 * The subscriptions are locked first, as by a rotation: a concurrent rotation has either finished, and its new key is in
 * the list, or it waits and then sees the key as this transaction leaves it. `no key update` does not block execution
 * reports.
 */
export async function lockKeysByEmail(
  tx: Transaction,
  emailNormalized: string,
): Promise<{ keys: BuyerKey[]; now: Date }> {
  const owners = await LOCKED_OWNERS.one(
    tx,
    sql`
    select ${LOCKED_OWNERS.list}
      from (select from subscriptions where email_normalized = ${emailNormalized} order by id for no key update) owner`,
  );
  if (owners.n === 0) return { keys: [], now: owners.now };
  const keys = await tx
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
    .where(and(eq(subscriptions.emailNormalized, emailNormalized), isNeitherRevokedNorRotated()))
    .orderBy(desc(apiKeys.id))
    .for("update", { of: apiKeys });
  return { keys, now: await readClock(tx) };
}

/**
 * Revokes keys that the caller has locked. `chargedBack` is the invoice whose chargeback revokes them: if the seller wins it,
 * they are reinstated. null: they stay revoked.
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

/**
 * Makes revocations by chargeback final, so that a won chargeback no longer undoes them: those by one invoice, or all of an
 * address except those by the invoice `butFor`.
 */
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

/** The normalised addresses whose keys this invoice's chargeback revoked, in the order in which they must be locked. */
export async function listAddressesRevokedByChargeback(
  handle: DatabaseHandle,
  invoiceId: string,
): Promise<string[]> {
  const rows = await handle
    .selectDistinct({ address: sql<string>`${subscriptions.emailNormalized}` })
    .from(apiKeys)
    .innerJoin(subscriptions, eq(subscriptions.id, apiKeys.subscriptionId))
    .where(and(eq(apiKeys.revokedByInvoice, invoiceId), isNotNull(subscriptions.emailNormalized)))
    .orderBy(asc(subscriptions.emailNormalized));
  return rows.map(({ address }) => address);
}

/**
 * Reinstates revoked keys and returns them, newest first: those that the chargeback of the invoice `chargedBack` revoked, or
 * those of an address that were revoked at `endedAt`, when the invoice `endedWith` ended, except the key `butFor`, and none if
 * another invoice of the address has ended since. The caller has locked the buyer's address.
 */
export async function unrevokeKeys(
  tx: Transaction,
  which:
    | { chargedBack: string }
    | { endedWith: string; endedAt: Date; emailNormalized: string; butFor: number | null },
) {
  const held = await tx
    .select({
      keyId: apiKeys.id,
      subscriptionId: apiKeys.subscriptionId,
      userName: subscriptions.userName,
      email: subscriptions.email,
      expiresAt: apiKeys.expiresAt,
      suspendedAt: apiKeys.suspendedAt,
      // Typed as not null: both conditions below imply it.
      revokedAt: sql<Date>`${apiKeys.revokedAt}`.mapWith(apiKeys.revokedAt),
    })
    .from(apiKeys)
    .innerJoin(subscriptions, eq(subscriptions.id, apiKeys.subscriptionId))
    .where(
      "chargedBack" in which
        ? eq(apiKeys.revokedByInvoice, which.chargedBack)
        : and(
            eq(subscriptions.emailNormalized, which.emailNormalized),
            eq(apiKeys.revokedAt, which.endedAt),
            which.butFor === null ? undefined : ne(apiKeys.id, which.butFor),
            sql`not exists (select 1 from invoices later join subscriptions owner on owner.id = later.subscription_id
                 where owner.email_normalized = ${which.emailNormalized} and later.invoice_id <> ${which.endedWith}
                   and later.ended_at > ${which.endedAt.toISOString()}::timestamptz)`,
          ),
    )
    .orderBy(desc(apiKeys.id))
    .for("update", { of: apiKeys });
  if (held.length > 0)
    await tx
      .update(apiKeys)
      .set({ revokedAt: null, revokedByInvoice: null })
      .where(
        inArray(
          apiKeys.id,
          held.map(({ keyId }) => keyId),
        ),
      );
  return held;
}

/** Undoes the end of an invoice by the event `endedBy`: a payment that was applied before, and its paid time, count again. */
export async function reopenInvoice(
  tx: Transaction,
  invoiceId: string,
  endedBy: RevokingEvent,
): Promise<void> {
  // Only rows that ended together with the invoice: time that was moved to another plan before stays moved.
  await tx
    .update(paidTime)
    .set({ endedAt: null })
    .where(
      and(
        isOrDescendsFrom(sql`p.invoice_id = ${invoiceId}`),
        sql`${paidTime.endedAt} = (select i.ended_at from invoices i where i.invoice_id = ${invoiceId}
          and i.ended_by = ${endedBy})`,
      ),
    );
  await tx
    .update(invoices)
    .set({ state: "paid", endedAt: null, endedBy: null })
    .where(and(eq(invoices.invoiceId, invoiceId), isNotNull(invoices.effect), eq(invoices.endedBy, endedBy)));
}

/** Stores further names (external ids) of a platform's invoice. A name that is stored already keeps its invoice. */
export async function insertInvoiceNames(
  handle: DatabaseHandle,
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

/** The id of an invoice that has one of these names on a platform; null: unknown. */
export async function findInvoiceByName(
  handle: DatabaseHandle,
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
  /** State of the invoice; null: only its name is known, and it was neither paid nor ended yet. */
  state: text<(typeof INVOICE_STATES)[number] | null>("i.state"),
  wasPaid: boolean("coalesce(i.effect is not null, false)"),
  endedBy: text<RevokingEvent | null>("i.ended_by"),
  /** Whether the invoice ended before any event named its buyer. Its payment will name the buyer, whose keys end then. */
  waitsForBuyer: boolean(`coalesce(${waitsForBuyerCondition("i")}, false)`),
  email: text<string | null>("s.email"),
  emailNormalized: text<string | null>("s.email_normalized"),
});
export type KnownInvoice = Row<typeof KNOWN_INVOICE>;

const REFUNDED: RevokingEvent = "payment.invoice_refunded";

/**
 * The invoices that have one of these external ids on a platform, as their own id or as a further name: paid ones first,
 * then ended ones, refunded ones last. More than one if separate deliveries turn out to be about one purchase.
 */
export async function listInvoicesByNames(
  handle: DatabaseHandle,
  adapter: PaymentAdapterName,
  externalIds: readonly string[],
): Promise<KnownInvoice[]> {
  if (externalIds.length === 0) return [];
  return KNOWN_INVOICE.all(
    handle,
    sql`
    select ${KNOWN_INVOICE.list}
      from (select i.invoice_id from invoices i
             where ${inArray(
               sql`i.invoice_id`,
               externalIds.map((id) => `${adapter}:${id}`),
             )}
            union
            -- The id stored for a name may itself have become a name of another invoice since.
            select coalesce(further.invoice_id, n.invoice_id) from invoice_names n
              left join invoice_names further on further.adapter = n.adapter
                    and further.external_id = substr(n.invoice_id, length(n.adapter) + 2)
             where n.adapter = ${adapter} and ${inArray(sql`n.external_id`, [...externalIds])}) known
      left join invoices i on i.invoice_id = known.invoice_id
      left join subscriptions s on s.id = i.subscription_id
     order by i.effect is null, i.state is null, i.ended_by is not distinct from ${REFUNDED}, known.invoice_id`,
  );
}

/**
 * Stores for which subscriber a platform's subscription or single purchase was made, as stated in the link of this service
 * to the shop. The first stored one is kept.
 */
export async function insertPlatformSubscriber(
  tx: Transaction,
  row: { adapter: PaymentAdapterName; externalSubscriptionId: string; subscriptionId: number },
): Promise<void> {
  await tx.insert(platformSubscribers).values(row).onConflictDoNothing();
}

/** The subscriber that insertPlatformSubscriber stored for one of these subscriptions or purchases; null: none. */
export async function findSubscriberFromShopLink(
  handle: DatabaseHandle,
  adapter: PaymentAdapterName,
  externalIds: readonly string[],
) {
  const [row] = await handle
    .select({
      subscriptionId: subscriptions.id,
      email: subscriptions.email,
      emailNormalized: subscriptions.emailNormalized,
    })
    .from(platformSubscribers)
    .innerJoin(subscriptions, eq(subscriptions.id, platformSubscribers.subscriptionId))
    .where(
      and(
        eq(platformSubscribers.adapter, adapter),
        inArray(platformSubscribers.externalSubscriptionId, [...externalIds]),
      ),
    )
    .orderBy(asc(platformSubscribers.createdAt))
    .limit(1);
  return row ?? null;
}

/**
 * Address and product of a platform's subscription, from the newest invoice that was paid for it or that has its id as a
 * name; null: unknown.
 */
export async function findPlatformSubscriptionBuyer(
  handle: DatabaseHandle,
  adapter: PaymentAdapterName,
  externalSubscriptionId: string,
) {
  const named = handle
    .select({ invoiceId: invoiceNames.invoiceId })
    .from(invoiceNames)
    .where(and(eq(invoiceNames.adapter, adapter), eq(invoiceNames.externalId, externalSubscriptionId)));
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
        or(eq(invoices.externalSubscriptionId, externalSubscriptionId), eq(invoices.invoiceId, named)),
      ),
    )
    .orderBy(desc(invoices.createdAt))
    .limit(1);
  return row ?? null;
}

/** The e-mail address of a subscription; null: no such subscription. */
export async function findSubscriptionAddress(handle: DatabaseHandle, subscriptionId: number) {
  const [row] = await handle
    .select({ email: subscriptions.email, emailNormalized: subscriptions.emailNormalized })
    .from(subscriptions)
    .where(eq(subscriptions.id, subscriptionId));
  return row ?? null;
}

/** Stores or replaces the encrypted identity (address and name) of a platform's customer. */
export async function writePlatformCustomer(
  handle: DatabaseHandle,
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

/** The encrypted identity of a platform's customer; null: unknown. */
export async function findPlatformCustomer(
  handle: DatabaseHandle,
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

/** An invoice with the normalised address of its subscriber; null: unknown invoice. */
export async function findInvoice(handle: DatabaseHandle, invoiceId: string) {
  const [row] = await handle
    .select({
      state: invoices.state,
      effect: invoices.effect,
      subscriptionId: invoices.subscriptionId,
      emailNormalized: subscriptions.emailNormalized,
      /** Hash digits of the payer's address, or of the address in the event that ended the invoice. */
      emailHash: invoices.emailHash,
      amount: invoices.amount,
      currency: invoices.currency,
      endedBy: sql<RevokingEvent | null>`${invoices.endedBy}`,
      /** Whether the invoice ended before its payment arrived, by an event that did not name the buyer. */
      waitsForBuyer: sql<boolean>`${WAITS_FOR_BUYER}`,
    })
    .from(invoices)
    .leftJoin(subscriptions, eq(subscriptions.id, invoices.subscriptionId))
    .where(eq(invoices.invoiceId, invoiceId));
  return row ?? null;
}

/**
 * Locks the current normalised address of an invoice's payer until commit and returns it; null: the payer is unknown. If the
 * payer's address changes while this waits for the lock, the new address is locked, too.
 */
export async function lockPayer(tx: Transaction, invoiceId: string): Promise<string | null> {
  for (let held: string | null = null; ; ) {
    const address: string | null = (await findInvoice(tx, invoiceId))?.emailNormalized ?? null;
    if (address === null || address === held) return address;
    await lockBuyerAddress(tx, address);
    held = address;
  }
}

/** SQL condition on the invoices of this alias: the invoice ended before any event named its buyer. */
export function waitsForBuyerCondition(name: string): string {
  return `(${name}.state = 'ended' and ${name}.effect is null and ${name}.subscription_id is null and ${name}.email_hash is null)`;
}
const WAITS_FOR_BUYER = sql.raw(waitsForBuyerCondition("invoices"));

/** Stores a paid invoice. Throws a unique violation if the invoice is stored already. */
export async function insertPaidInvoice(
  tx: Transaction,
  row: Omit<typeof invoices.$inferInsert, "state">,
): Promise<void> {
  await tx.insert(invoices).values({ ...row, state: "paid" });
}

/**
 * Those of these invoices, and of the invoices of the platform's subscription `ofSubscription`, whose payer is known, with
 * their subscribers, earliest first. Ended invoices are included.
 */
export async function listPayersInvoices(
  tx: Transaction,
  which: { invoiceIds: readonly string[]; ofSubscription?: string; adapter: PaymentAdapterName },
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
      emailHash: invoices.emailHash,
      endedBy: sql<RevokingEvent | null>`${invoices.endedBy}`,
      endedAt: invoices.endedAt,
      /** The payer's subscription; null: the payer has never had access. */
      subscriptionId: subscriptions.id,
      userName: sql<string>`coalesce(${subscriptions.userName}, '')`,
      email: subscriptions.email,
      emailNormalized: subscriptions.emailNormalized,
    })
    .from(invoices)
    .leftJoin(subscriptions, eq(subscriptions.id, invoices.subscriptionId))
    .where(
      and(
        isNotNull(invoices.emailHash),
        eq(invoices.adapter, which.adapter),
        or(
          inArray(invoices.invoiceId, [...which.invoiceIds]),
          which.ofSubscription === undefined
            ? undefined
            : eq(invoices.externalSubscriptionId, which.ofSubscription),
        ),
      ),
    )
    .orderBy(asc(invoices.createdAt), asc(invoices.invoiceId));
}

export type PayersInvoice = Awaited<ReturnType<typeof listPayersInvoices>>[number];

/** The key to which the paid time of an invoice belongs; null: no time is stored for this invoice. */
export async function findKeyOfInvoice(tx: Transaction, invoiceId: string): Promise<number | null> {
  const [row] = await tx
    .select({ keyId: paidTime.keyId })
    .from(paidTime)
    .where(eq(paidTime.invoiceId, invoiceId));
  return row?.keyId ?? null;
}

/** Updates the subscriber, key, effect, plan, product, end of access or cause of the end that are stored with an invoice. */
export async function updateInvoice(
  tx: Transaction,
  invoiceId: string,
  to: Partial<
    Pick<
      typeof invoices.$inferInsert,
      "subscriptionId" | "keyId" | "emailHash" | "effect" | "planTier" | "productId" | "expiresAt" | "endedBy"
    >
  >,
): Promise<void> {
  await tx.update(invoices).set(to).where(eq(invoices.invoiceId, invoiceId));
}

/** Stores the platform's subscription id in an invoice and in its paid time, where none is stored yet. */
export async function recordInvoiceSubscription(
  tx: Transaction,
  invoiceId: string,
  externalSubscriptionId: string,
): Promise<void> {
  const entered = { externalSubscriptionId };
  await tx
    .update(invoices)
    .set(entered)
    .where(and(eq(invoices.invoiceId, invoiceId), isNull(invoices.externalSubscriptionId)));
  await tx
    .update(paidTime)
    .set(entered)
    .where(and(eq(paidTime.invoiceId, invoiceId), isNull(paidTime.externalSubscriptionId)));
}

/** Assigns all names and payment deliveries of an invoice to the invoice `to`. */
export async function moveInvoiceNames(tx: Transaction, invoiceId: string, to: string): Promise<void> {
  await tx.update(invoiceNames).set({ invoiceId: to }).where(eq(invoiceNames.invoiceId, invoiceId));
  await tx.update(paymentDeliveries).set({ invoiceId: to }).where(eq(paymentDeliveries.invoiceId, invoiceId));
}

/** Deletes an invoice with its paid time. For an invoice that turned out to be part of another one. */
export async function deleteInvoice(tx: Transaction, invoiceId: string): Promise<void> {
  await tx.delete(invoices).where(eq(invoices.invoiceId, invoiceId));
}

/**
 * Deletes those of these invoices that a refund ended before any event named their buyer. For refunds that turned out to be
 * of only one of several charges. Returns whether at least one was deleted.
 */
export async function deleteRefundsWithoutBuyer(
  tx: Transaction,
  invoiceIds: readonly string[],
): Promise<boolean> {
  const deleted = await tx
    .delete(invoices)
    .where(and(inArray(invoices.invoiceId, [...invoiceIds]), eq(invoices.endedBy, REFUNDED), WAITS_FOR_BUYER))
    .returning({ invoiceId: invoices.invoiceId });
  return deleted.length > 0;
}

/**
 * Ends an invoice, and the named subscriber's time that it paid for. An unknown invoice is stored as ended, and one that
 * has ended already keeps its end.
 */
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
  // Only paid time of the named subscriber: a refund that names another buyer does not end the payer's access.
  await tx
    .update(paidTime)
    .set({ endedAt: row.endedAt })
    .where(
      and(
        isOrDescendsFrom(sql`p.invoice_id = ${row.invoiceId}`),
        isNull(paidTime.endedAt),
        sql`${paidTime.subscriptionId} in (select own.id from subscriptions own join subscriptions named
          on own.id = named.id or own.email_normalized = named.email_normalized where named.id = ${row.subscriptionId})`,
      ),
    );
}

/** Stores payer and end of an invoice that ended before any event named its buyer. */
export async function recordInvoicePayer(
  tx: Transaction,
  invoiceId: string,
  payer: { emailHash: string; subscriptionId: number | null; endedAt: Date },
): Promise<void> {
  await tx.update(invoices).set(payer).where(eq(invoices.invoiceId, invoiceId));
}

/** Stores how much of an invoice has been refunded so far; the amount never decreases. An unknown invoice is ignored. */
export async function recordPartialRefund(tx: Transaction, invoiceId: string, amount: string): Promise<void> {
  await tx
    .update(invoices)
    .set({ refundedAmount: sql`greatest(${invoices.refundedAmount}, ${amount}::numeric)` })
    .where(eq(invoices.invoiceId, invoiceId));
}

/** The newest grace period that began after the subscription's newest paid invoice; null: no payment has failed since. */
export async function findOpenGrace(handle: DatabaseHandle, subscriptionId: number) {
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

/** Starts a grace period after the first failed payment; returns its id. */
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

/** Increases the stored number of failed payments of a grace period by one. */
export async function recordGraceFailure(tx: Transaction, graceId: number): Promise<void> {
  await tx
    .update(paymentGraces)
    .set({ nFailures: sql`${paymentGraces.nFailures} + 1` })
    .where(eq(paymentGraces.id, graceId));
}

/**
 * Of the invoices of an address whose access has not ended, the one whose access ends last; null: none. Considers paid
 * invoices, and `wonInvoiceId`, an invoice ended by a chargeback that the seller won.
 */
export async function findLastRunningInvoice(
  handle: DatabaseHandle,
  emailNormalized: string,
  wonInvoiceId: string | null,
) {
  const [row] = await handle
    .select({
      invoiceId: invoices.invoiceId,
      subscriptionId: subscriptions.id,
      userName: subscriptions.userName,
      email: subscriptions.email,
      // Typed as not null: the condition below requires both.
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

export type RunningInvoice = NonNullable<Awaited<ReturnType<typeof findLastRunningInvoice>>>;

/** Whether the address has a key that was neither revoked nor rotated, even if it has expired. */
export async function hasKeyNeitherRevokedNorRotated(
  handle: DatabaseHandle,
  emailNormalized: string,
): Promise<boolean> {
  const [row] = await handle
    .select({ one: sql`1` })
    .from(apiKeys)
    .innerJoin(subscriptions, eq(subscriptions.id, apiKeys.subscriptionId))
    .where(and(eq(subscriptions.emailNormalized, emailNormalized), isNeitherRevokedNorRotated()))
    .limit(1);
  return row !== undefined;
}

/** The invoices of a subscription whose payment was applied, newest first, even those that have ended since. */
export async function listInvoices(handle: DatabaseHandle, subscriptionId: number) {
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

/** Whether the address has another invoice in the state `paid`, even one whose time has run out. */
export async function hasOtherPaidInvoice(
  handle: DatabaseHandle,
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

/** The newest paid invoice of a subscription with a stored end of access (`expiresAt`); null: none. */
export async function findAccessInvoice(handle: DatabaseHandle, subscriptionId: number) {
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
