import { and, asc, desc, eq, inArray, isNotNull, isNull, notInArray, or, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import {
  accountRequests,
  apiKeys,
  formerAddresses,
  mailOutbox,
  paymentDeliveries,
  platformCustomers,
  sessions,
  signInTokens,
  subscriptions,
  users,
} from "@/db/schema";
import type { AccountRequestKind, PaymentAdapterName } from "@/lib/vocabulary";
import { boolean, columns, type Row, safeInteger, text } from "./columns";
import { array } from "./parameters";

/**
 * Ids of this subscription and of all others with its current address, in order of id, and the current and former
 * addresses of all of them, normalised.
 */
export async function readPersonIdentifiers(handle: DatabaseHandle, subscriptionId: number) {
  const own = await handle
    .select({ id: subscriptions.id, emailNormalized: subscriptions.emailNormalized })
    .from(subscriptions)
    .where(
      or(
        eq(subscriptions.id, subscriptionId),
        eq(
          subscriptions.emailNormalized,
          sql`(select email_normalized from subscriptions where id = ${subscriptionId})`,
        ),
      ),
    )
    .orderBy(asc(subscriptions.id));
  const subscriptionIds = own.map(({ id }) => id);
  const former = await handle
    .select({ address: formerAddresses.emailNormalized })
    .from(formerAddresses)
    .where(inArray(formerAddresses.subscriptionId, subscriptionIds));
  const present = own.flatMap(({ emailNormalized }) => emailNormalized ?? []);
  return {
    subscriptionIds,
    addresses: [...new Set([...present, ...former.map(({ address }) => address)])],
  };
}

/** Revokes all keys of these subscriptions that are neither revoked nor rotated. Returns the ids of these keys. */
export async function revokeEveryKey(tx: Transaction, subscriptionIds: readonly number[]): Promise<number[]> {
  const rows = await tx
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(
      and(
        inArray(apiKeys.subscriptionId, [...subscriptionIds]),
        isNull(apiKeys.revokedAt),
        isNull(apiKeys.rotatedAt),
      ),
    )
    .returning({ id: apiKeys.id });
  return rows.map(({ id }) => id);
}

const SEARCHED_DELIVERY = columns({
  id: safeInteger("id"),
  sealed: text("sealed"),
  /** Whether the row is a delivery about an invoice of the person. */
  isTheirs: boolean(sql`coalesce(is_theirs, false)`),
});
const SEARCHED_CUSTOMER = columns({
  id: safeInteger("id"),
  sealed: text("buyer_encrypted"),
  isTheirs: boolean(sql`false`),
  adapter: text<PaymentAdapterName>("adapter"),
  /** The platform's id of the customer. */
  externalId: text("external_id"),
});
export type PersonalDataCandidate = Row<typeof SEARCHED_DELIVERY>;
export type PlatformCustomerRow = Row<typeof SEARCHED_CUSTOMER>;

/**
 * A page of a search for rows that may contain a person's address: rows of the person's invoices, rows whose hash digits
 * are in `hashes` (the first four digits of an address's hash), and rows without hash digits.
 */
export interface PersonalDataSearch {
  subscriptionIds: readonly number[];
  hashes: readonly string[];
  afterId: number;
  limit: number;
}

/** A page of the payment deliveries that may contain the person's address, in order of id. */
export async function listPaymentDeliveriesToSearch(
  handle: DatabaseHandle,
  search: PersonalDataSearch,
): Promise<PersonalDataCandidate[]> {
  const { subscriptionIds, hashes, afterId, limit } = search;
  return SEARCHED_DELIVERY.all(
    handle,
    sql`
    with own as (select invoice_id from invoices where subscription_id = any(${array(subscriptionIds, "int")})),
    found as (
      select d.id, d.payload_encrypted as sealed, d.invoice_id in (select invoice_id from own) as is_theirs, d.email_hash
        from payment_deliveries d where d.id > ${afterId})
    select ${SEARCHED_DELIVERY.list} from found
     where is_theirs or email_hash is null or email_hash = any(${array(hashes, "text")})
     order by id limit ${limit}`,
  );
}

/** Id of the newest delivery received over ten minutes ago; 0: none. All earlier ones are committed or rolled back. */
export async function readPaymentDeliveryWatermark(handle: DatabaseHandle): Promise<number> {
  const [row] = await handle
    .select({ id: sql<number>`coalesce(max(${paymentDeliveries.id}), 0)`.mapWith(Number) })
    .from(paymentDeliveries)
    .where(sql`${paymentDeliveries.receivedAt} < now() - interval '10 minutes'`);
  return row?.id ?? 0;
}

/** A page of the payment platforms' customers that may have the person's address, in order of id. */
export async function listPlatformCustomersToSearch(
  handle: DatabaseHandle,
  search: PersonalDataSearch,
): Promise<PlatformCustomerRow[]> {
  return SEARCHED_CUSTOMER.all(
    handle,
    sql`
    select ${SEARCHED_CUSTOMER.list} from platform_customers
     where id > ${search.afterId} and (email_hash is null or email_hash = any(${array(search.hashes, "text")}))
     order by id limit ${search.limit}`,
  );
}

export async function deletePaymentDeliveries(handle: DatabaseHandle, ids: readonly number[]): Promise<void> {
  await handle.execute(sql`delete from payment_deliveries where id = any(${array(ids, "bigint")})`);
}

export async function deletePlatformCustomers(handle: DatabaseHandle, ids: readonly number[]): Promise<void> {
  await handle.delete(platformCustomers).where(inArray(platformCustomers.id, [...ids]));
}

type NewRequest = Pick<
  typeof accountRequests.$inferInsert,
  "subscriptionId" | "kind" | "newEmail" | "tokenHash" | "newTokenHash"
>;

/**
 * Stores a request that the subscriber must confirm within `minutes`. Earlier requests of the same kind that the
 * present address has not confirmed expire. Returns the id of the new request.
 */
export async function insertAccountRequest(
  tx: Transaction,
  { minutes, ...row }: NewRequest & { minutes: number },
): Promise<number> {
  await tx
    .update(accountRequests)
    .set({ expiresAt: sql`now()` })
    .where(
      and(
        eq(accountRequests.subscriptionId, row.subscriptionId),
        eq(accountRequests.kind, row.kind),
        isNull(accountRequests.doneAt),
        isNull(accountRequests.confirmedAt),
        sql`${accountRequests.expiresAt} > now()`,
      ),
    );
  const [inserted] = await tx
    .insert(accountRequests)
    .values({ ...row, expiresAt: sql`now() + make_interval(mins => ${minutes})` })
    .returning({ id: accountRequests.id });
  if (!inserted) throw new Error("the insert returned no request");
  return inserted.id;
}

/** Number of account requests of a subscription in the last 24 hours. */
export async function countRecentAccountRequests(
  handle: DatabaseHandle,
  subscriptionId: number,
): Promise<number> {
  return handle.$count(
    accountRequests,
    and(
      eq(accountRequests.subscriptionId, subscriptionId),
      sql`${accountRequests.createdAt} > now() - interval '1 day'`,
    ),
  );
}

const isOpenAddressChange = (subscriptionId: number) =>
  and(
    eq(accountRequests.subscriptionId, subscriptionId),
    eq(accountRequests.kind, "address"),
    isNull(accountRequests.doneAt),
    sql`${accountRequests.expiresAt} > now()`,
  );

/** The newest open request to change this subscription's address; null: none. */
export async function findOpenAddressChange(handle: DatabaseHandle, subscriptionId: number) {
  const [row] = await handle
    .select({
      newEmail: accountRequests.newEmail,
      confirmedAt: accountRequests.confirmedAt,
      newConfirmedAt: accountRequests.newConfirmedAt,
      expiresAt: accountRequests.expiresAt,
    })
    .from(accountRequests)
    .where(isOpenAddressChange(subscriptionId))
    .orderBy(desc(accountRequests.id))
    .limit(1);
  return row ?? null;
}

/** Makes a subscription's open requests to change its address expire. Returns whether there were any. */
export async function expireAddressChanges(tx: Transaction, subscriptionId: number): Promise<boolean> {
  const expired = await tx
    .update(accountRequests)
    // Not now(): a transaction that began earlier would still find the request open.
    .set({ expiresAt: accountRequests.createdAt })
    .where(isOpenAddressChange(subscriptionId))
    .returning({ id: accountRequests.id });
  return expired.length > 0;
}

const REQUEST = {
  id: accountRequests.id,
  kind: sql<AccountRequestKind>`${accountRequests.kind}`,
  subscriptionId: accountRequests.subscriptionId,
  newEmail: accountRequests.newEmail,
  confirmedAt: accountRequests.confirmedAt,
  newConfirmedAt: accountRequests.newConfirmedAt,
};

const isOpenBy = (tokenHash: string) => ({
  side: sql<
    "present" | "new"
  >`case when ${accountRequests.tokenHash} = ${tokenHash} then 'present' else 'new' end`,
  where: and(
    or(
      and(eq(accountRequests.tokenHash, tokenHash), isNull(accountRequests.confirmedAt)),
      and(eq(accountRequests.newTokenHash, tokenHash), isNull(accountRequests.newConfirmedAt)),
    ),
    isNull(accountRequests.doneAt),
    sql`${accountRequests.expiresAt} > now()`,
  ),
});

/**
 * The account request that a mailed link confirms; null: the link is unknown, used or expired, or the request is done.
 * `side` is the address to which the link was mailed: the subscriber's present or new one.
 */
export async function findAccountRequest(handle: DatabaseHandle, tokenHash: string) {
  const { side, where } = isOpenBy(tokenHash);
  const [row] = await handle
    .select({ ...REQUEST, side })
    .from(accountRequests)
    .where(where);
  return row ?? null;
}

/**
 * Like findAccountRequest, but locks the request until commit: of two concurrent uses of one link only one finds it.
 */
export async function lockAccountRequest(tx: Transaction, tokenHash: string) {
  const { side, where } = isOpenBy(tokenHash);
  const [row] = await tx
    .select({ ...REQUEST, side })
    .from(accountRequests)
    .where(where)
    .for("update");
  return row ?? null;
}

/** Marks a request as confirmed by one of its addresses or as done, or changes its new address. */
export async function updateAccountRequest(
  tx: Transaction,
  id: number,
  change: Partial<Pick<typeof accountRequests.$inferInsert, "newEmail">> & {
    confirmed?: "present" | "new";
    done?: boolean;
  },
): Promise<void> {
  const { confirmed, done, ...columns } = change;
  await tx
    .update(accountRequests)
    .set({
      ...columns,
      ...(confirmed === "present" ? { confirmedAt: sql`now()` } : {}),
      ...(confirmed === "new" ? { newConfirmedAt: sql`now()` } : {}),
      ...(done ? { doneAt: sql`now()` } : {}),
    })
    .where(eq(accountRequests.id, id));
}

/**
 * Ids of at most 20 subscriptions whose deletion was confirmed over a minute ago and did not finish, for example because
 * of a crash. A finished deletion removes the request.
 */
export async function listUnfinishedDeletions(handle: DatabaseHandle): Promise<number[]> {
  const rows = await handle
    .select({ subscriptionId: accountRequests.subscriptionId })
    .from(accountRequests)
    .where(
      and(
        eq(accountRequests.kind, "delete"),
        isNotNull(accountRequests.confirmedAt),
        sql`${accountRequests.confirmedAt} < now() - interval '1 minute'`,
      ),
    )
    .limit(20);
  return rows.map(({ subscriptionId }) => subscriptionId);
}

/** Ids of the subscriptions whose account was deleted in the last hour. */
export async function listRecentlyErasedSubscriptions(handle: DatabaseHandle): Promise<number[]> {
  const rows = await handle
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(
      sql`${subscriptions.erasedAt} is not null and ${subscriptions.erasedAt} > now() - interval '1 hour'`,
    );
  return rows.map(({ id }) => id);
}

/** Changes the recipient of these subscriptions' queued mail to `email`, except mail of the kinds in `keep`. */
async function redirectMail(
  tx: Transaction,
  subscriptionIds: readonly number[],
  { email, keep }: { email: string; keep: readonly string[] },
): Promise<void> {
  await tx
    .update(mailOutbox)
    .set({ recipient: email })
    .where(
      and(
        inArray(mailOutbox.subscriptionId, [...subscriptionIds]),
        eq(mailOutbox.status, "pending"),
        notInArray(mailOutbox.kind, [...keep]),
      ),
    );
}

/** Makes these subscriptions' account requests that were not carried out expire, with their links. */
async function endAccountRequests(tx: Transaction, subscriptionIds: readonly number[]): Promise<void> {
  await tx
    .update(accountRequests)
    .set({ expiresAt: sql`now()` })
    .where(
      and(
        inArray(accountRequests.subscriptionId, [...subscriptionIds]),
        isNull(accountRequests.doneAt),
        sql`${accountRequests.expiresAt} > now()`,
      ),
    );
}

/**
 * Replaces a person's address in all their subscriptions. Stores the former address, deletes its sign-in links, ends all
 * sessions opened by mail to it, and makes pending account requests expire. Queued mail goes to the new address, except
 * mail of the kinds in `keep`.
 */
export async function replaceAddress(
  tx: Transaction,
  {
    subscriptionIds,
    former,
    email,
    emailNormalized,
    keep,
  }: {
    subscriptionIds: readonly number[];
    former: string | null;
    email: string;
    emailNormalized: string;
    keep: readonly string[];
  },
): Promise<void> {
  const [newest] = subscriptionIds.toSorted((a, b) => b - a);
  await tx
    .update(subscriptions)
    .set({ email, emailNormalized })
    .where(inArray(subscriptions.id, [...subscriptionIds]));
  await redirectMail(tx, subscriptionIds, { email, keep });
  await endAccountRequests(tx, subscriptionIds);
  await tx.delete(formerAddresses).where(eq(formerAddresses.emailNormalized, emailNormalized));
  if (former === null || newest === undefined) return;
  await tx
    .insert(formerAddresses)
    .values({ emailNormalized: former, subscriptionId: newest })
    .onConflictDoUpdate({ target: formerAddresses.emailNormalized, set: { subscriptionId: newest } });
  await tx.delete(signInTokens).where(eq(signInTokens.emailNormalized, former));
  await tx
    .update(sessions)
    .set({ endedAt: sql`now()`, flashEncrypted: null })
    .where(
      and(
        isNull(sessions.endedAt),
        inArray(
          sessions.userId,
          tx.select({ id: users.id }).from(users).where(eq(users.emailNormalized, former)),
        ),
      ),
    );
}

/** Whether a subscriber has signed in by a mail to this address, or an administrator has this address. */
export async function isSignInAddress(handle: DatabaseHandle, emailNormalized: string): Promise<boolean> {
  const [row] = await handle.execute<{ used: boolean }>(sql`
    select exists (select 1 from users where email_normalized = ${emailNormalized})
        or exists (select 1 from administrators where email_normalized = ${emailNormalized} and removed_at is null) as used`);
  return row?.used ?? false;
}

/**
 * Deletes the sign-in links of a subscription's former address, and makes the subscription's pending account requests
 * expire. Queued mail goes to `email`, the new address, except mail of the kinds in `keep`.
 */
export async function invalidateFormerAddress(
  tx: Transaction,
  {
    subscriptionId,
    former,
    email,
    keep,
  }: { subscriptionId: number; former: string; email: string | null; keep: readonly string[] },
): Promise<void> {
  await tx.delete(signInTokens).where(eq(signInTokens.emailNormalized, former));
  await endAccountRequests(tx, [subscriptionId]);
  if (email !== null) await redirectMail(tx, [subscriptionId], { email, keep });
}

/**
 * The current address of the subscriber whose former address this is. Null if it is no former address, if a subscription
 * has it again, or if the subscriber has no address.
 */
export async function findCurrentAddress(handle: DatabaseHandle, emailNormalized: string) {
  const [row] = await handle
    .select({ email: subscriptions.email, emailNormalized: subscriptions.emailNormalized })
    .from(formerAddresses)
    .innerJoin(subscriptions, eq(subscriptions.id, formerAddresses.subscriptionId))
    .where(
      and(
        eq(formerAddresses.emailNormalized, emailNormalized),
        sql`not exists (select 1 from subscriptions own where own.email_normalized = ${emailNormalized})`,
      ),
    )
    .orderBy(desc(subscriptions.id))
    .limit(1);
  return row?.email && row.emailNormalized
    ? { email: row.email, emailNormalized: row.emailNormalized }
    : null;
}
