import { and, count, desc, eq, inArray, isNotNull, lt, ne, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { apiKeys, mailOutbox } from "@/db/schema";
import type { MailState, PlanTier } from "@/lib/vocabulary";
import { hasCalled, planInForce, plansInForce } from "./key-state";
import { array, containsFolded } from "./parameters";

export interface NewMail {
  kind: string;
  dedupeKey: string;
  subscriptionId: number | null;
  recipient: string;
  props: Record<string, unknown>;
  secretEncrypted: string | null;
}

/**
 * Queues a mail and wakes the worker's `mail` job at commit. Returns its id; null: a mail with this `dedupeKey` is
 * stored.
 */
export async function insertMail(handle: DatabaseHandle, mail: NewMail): Promise<number | null> {
  const [row] = await handle
    .insert(mailOutbox)
    .values(mail)
    .onConflictDoNothing({ target: mailOutbox.dedupeKey })
    .returning({ id: mailOutbox.id, called: sql`pg_notify('worker', 'mail')` });
  return row?.id ?? null;
}

const MAILS_PER_INSERT = 500;

/**
 * Queues mails, except those whose `dedupeKey` is stored already, and wakes the worker's `mail` job at commit. Inserts
 * up to 500 mails per statement, sorted, so that two processes never deadlock. Returns the number of queued mails.
 */
export async function insertMails(handle: DatabaseHandle, mails: readonly NewMail[]): Promise<number> {
  const sorted = mails.toSorted((a, b) => (a.dedupeKey < b.dedupeKey ? -1 : 1));
  let stored = 0;
  for (let from = 0; from < sorted.length; from += MAILS_PER_INSERT) {
    const rows = await handle
      .insert(mailOutbox)
      .values(sorted.slice(from, from + MAILS_PER_INSERT))
      .onConflictDoNothing({ target: mailOutbox.dedupeKey })
      .returning({ called: sql`pg_notify('worker', 'mail')` });
    stored += rows.length;
  }
  return stored;
}

/** Those of these dedupe keys for which a mail is stored, whether it was sent or not. */
export async function listStoredDedupeKeys(
  handle: DatabaseHandle,
  dedupeKeys: readonly string[],
): Promise<Set<string>> {
  const rows = await handle.execute<{ key: string }>(
    // `offset 0` makes the planner look up each key in the index, even if it expects few mails.
    sql`select k.key from unnest(${array(dedupeKeys, "text")}) as k(key)
         cross join lateral (select 1 from mail_outbox m where m.dedupe_key = k.key offset 0) m`,
  );
  return new Set(rows.map(({ key }) => key));
}

/** Ids of those of these mails whose recipient and content are still stored: retention has not deleted them yet. */
export async function listKeptMailIds(handle: DatabaseHandle, ids: readonly number[]): Promise<Set<number>> {
  const rows = await handle
    .select({ id: mailOutbox.id })
    .from(mailOutbox)
    .where(and(inArray(mailOutbox.id, [...ids]), ne(mailOutbox.recipient, "")));
  return new Set(rows.map(({ id }) => id));
}

/** The newest mail of these kinds to a subscription; null: none. */
export async function findNewestMail(
  handle: DatabaseHandle,
  subscriptionId: number,
  kinds: readonly string[],
): Promise<{ id: number; status: MailState; holdsSecret: boolean } | null> {
  const [row] = await handle
    .select({ id: mailOutbox.id, status: mailOutbox.status, holdsSecret: RECORD.holdsSecret })
    .from(mailOutbox)
    .where(and(eq(mailOutbox.subscriptionId, subscriptionId), inArray(mailOutbox.kind, [...kinds])))
    .orderBy(desc(mailOutbox.createdAt), desc(mailOutbox.id))
    .limit(1);
  return row ?? null;
}

/**
 * The plans of a key now (for an expired key, its last plan), and whether a trading client has called with any key of
 * its subscription.
 */
export async function findKeyPlans(handle: DatabaseHandle, keyId: number) {
  const [row] = await handle
    .select({
      planTier: planInForce(),
      plans: sql<PlanTier[]>`${plansInForce()}`,
      delayCandles: apiKeys.delayCandles,
      hasCalled: hasCalled(),
    })
    .from(apiKeys)
    .where(eq(apiKeys.id, keyId));
  if (!row) throw new Error("a mail about a key that does not exist");
  return row;
}

export interface LeasedMail {
  id: number;
  kind: string;
  subscriptionId: number | null;
  recipient: string;
  props: Record<string, unknown>;
  secretEncrypted: string | null;
  /** Number of attempts, including this one. */
  attempts: number;
  createdAt: Date;
}

/**
 * Leases the most urgent due mail for `leaseSeconds`; null: none is due. If the process dies, the lease expires and
 * another process takes the mail.
 */
export async function leaseDueMail(
  handle: DatabaseHandle,
  kindsByUrgency: readonly string[],
  leaseSeconds: number,
): Promise<LeasedMail | null> {
  const due = sql`(
    select id from ${mailOutbox}
     where status = 'pending' and next_attempt_at <= clock_timestamp()
       and (leased_until is null or leased_until <= clock_timestamp())
     order by array_position(string_to_array(${kindsByUrgency.join(",")}, ','), kind), next_attempt_at, id
     limit 1
       for update skip locked)`;
  const [row] = await handle
    .update(mailOutbox)
    .set({
      leasedUntil: sql`clock_timestamp() + make_interval(secs => ${leaseSeconds})`,
      attempts: sql`${mailOutbox.attempts} + 1`,
    })
    .where(sql`${mailOutbox.id} = ${due}`)
    .returning({
      id: mailOutbox.id,
      kind: mailOutbox.kind,
      subscriptionId: mailOutbox.subscriptionId,
      recipient: mailOutbox.recipient,
      props: mailOutbox.props,
      secretEncrypted: mailOutbox.secretEncrypted,
      attempts: mailOutbox.attempts,
      createdAt: mailOutbox.createdAt,
    });
  return row ?? null;
}

const stillMine = (id: number, attempts: number) =>
  and(eq(mailOutbox.id, id), eq(mailOutbox.status, "pending"), eq(mailOutbox.attempts, attempts));

/** Marks a mail as sent and deletes its secret. */
export async function markMailSent(handle: DatabaseHandle, id: number, transport: string): Promise<void> {
  await handle
    .update(mailOutbox)
    .set({
      status: "sent",
      sentAt: sql`clock_timestamp()`,
      transport,
      secretEncrypted: null,
      leasedUntil: null,
      lastErrorCode: null,
    })
    .where(and(eq(mailOutbox.id, id), eq(mailOutbox.status, "pending")));
}

/** Schedules the next attempt to send a mail, after `delayMs`. Does nothing if another worker has taken the mail over. */
export async function markMailForRetry(
  handle: DatabaseHandle,
  mail: { id: number; attempts: number },
  failure: { code: string; transport: string; delayMs: number },
): Promise<void> {
  await handle
    .update(mailOutbox)
    .set({
      leasedUntil: null,
      lastErrorCode: failure.code,
      transport: failure.transport,
      nextAttemptAt: sql`clock_timestamp() + make_interval(secs => ${failure.delayMs / 1000})`,
    })
    .where(stillMine(mail.id, mail.attempts));
}

/**
 * Marks a mail as given up. Its secret is kept, so that an administrator can resend it, unless `wipeMailSecret`. Does nothing if
 * another worker has taken the mail over.
 */
export async function markMailDead(
  handle: DatabaseHandle,
  mail: { id: number; attempts: number },
  failure: { code: string; transport: string; wipeSecret: boolean },
): Promise<void> {
  await handle
    .update(mailOutbox)
    .set({
      status: "dead",
      leasedUntil: null,
      lastErrorCode: failure.code,
      transport: failure.transport,
      ...(failure.wipeSecret ? { secretEncrypted: null } : {}),
    })
    .where(stillMine(mail.id, mail.attempts));
}

/** Deletes the keys and tokens of all mails that were queued before `before`. Returns the number of changed mails. */
export async function wipeMailSecretsBefore(handle: DatabaseHandle, before: Date): Promise<number> {
  const wiped = await handle
    .update(mailOutbox)
    .set({ secretEncrypted: null })
    .where(and(isNotNull(mailOutbox.secretEncrypted), lt(mailOutbox.createdAt, before)))
    .returning({ id: mailOutbox.id });
  return wiped.length;
}

const RECORD = {
  id: mailOutbox.id,
  kind: mailOutbox.kind,
  subscriptionId: mailOutbox.subscriptionId,
  recipient: mailOutbox.recipient,
  status: mailOutbox.status,
  attempts: mailOutbox.attempts,
  nextAttemptAt: mailOutbox.nextAttemptAt,
  lastErrorCode: mailOutbox.lastErrorCode,
  transport: mailOutbox.transport,
  sentAt: mailOutbox.sentAt,
  createdAt: mailOutbox.createdAt,
  /** Whether the mail's key or token is still stored: without it a mail that contains one cannot be sent again. */
  holdsSecret: sql<boolean>`${mailOutbox.secretEncrypted} is not null`,
};

export interface MailFilter {
  status?: MailState | undefined;
  kind?: string | undefined;
  subscriptionId?: number | undefined;
  /** Part of a recipient's address. */
  q?: string | undefined;
}

function mailCondition(filter: MailFilter) {
  const q = filter.q?.trim();
  return and(
    filter.status ? eq(mailOutbox.status, filter.status) : undefined,
    filter.kind ? eq(mailOutbox.kind, filter.kind) : undefined,
    filter.subscriptionId === undefined ? undefined : eq(mailOutbox.subscriptionId, filter.subscriptionId),
    q ? containsFolded("recipient", q) : undefined,
  );
}

/** Mails without their secrets, newest first. */
export async function listMailRows(
  handle: DatabaseHandle,
  filter: MailFilter & { limit: number; offset: number },
) {
  return handle
    .select(RECORD)
    .from(mailOutbox)
    .where(mailCondition(filter))
    .orderBy(desc(mailOutbox.createdAt), desc(mailOutbox.id))
    .limit(filter.limit)
    .offset(filter.offset);
}

export async function countMail(handle: DatabaseHandle, filter: MailFilter): Promise<number> {
  const [row] = await handle.select({ n: count() }).from(mailOutbox).where(mailCondition(filter));
  return row?.n ?? 0;
}

/** One mail with its stored content, the secret still encrypted; null: unknown id. */
export async function findMail(handle: DatabaseHandle, id: number) {
  const [row] = await handle.select().from(mailOutbox).where(eq(mailOutbox.id, id));
  return row ?? null;
}

/** One mail with its stored content, the secret still encrypted, locked until commit; null: unknown id. */
export async function lockMail(tx: Transaction, id: number) {
  const [row] = await tx.select().from(mailOutbox).where(eq(mailOutbox.id, id)).for("update");
  return row ?? null;
}

/** Deletes the stored key or token of a mail, for example because the mail was queued again with it. */
export async function wipeMailSecret(tx: Transaction, id: number): Promise<void> {
  await tx.update(mailOutbox).set({ secretEncrypted: null }).where(eq(mailOutbox.id, id));
}
