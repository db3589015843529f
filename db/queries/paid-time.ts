import { and, asc, desc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { apiKeys, invoices, type PlanInterval, paidTime } from "@/db/schema";
import type { PlanTier } from "@/lib/vocabulary";
import { isNeitherRevokedNorRotated } from "./key-state";
import { array } from "./parameters";

export type NewPaidTime = Omit<typeof paidTime.$inferInsert, "id" | "createdAt">;

/** The plan, end and consecutive plans (`stretches`) that are stored in the rows of these keys, in order of id. */
export async function listStoredKeyAccess(tx: Transaction, keyIds: readonly number[]) {
  return tx
    .select({
      keyId: apiKeys.id,
      subscriptionId: apiKeys.subscriptionId,
      planTier: apiKeys.planTier,
      expiresAt: apiKeys.expiresAt,
      stretches: apiKeys.stretches,
    })
    .from(apiKeys)
    .where(sql`${apiKeys.id} = any(${array(keyIds, "int")})`)
    .orderBy(asc(apiKeys.id));
}

export type StoredKeyAccess = Awaited<ReturnType<typeof listStoredKeyAccess>>[number];

/**
 * Ids of the keys with consecutive or concurrent plans that are neither revoked nor rotated, locked until commit. Keys that
 * another transaction has locked are skipped.
 */
export async function lockKeysOfSeveralPlans(tx: Transaction): Promise<number[]> {
  const rows = await tx
    .select({ keyId: apiKeys.id })
    .from(apiKeys)
    .where(and(isNotNull(apiKeys.stretches), isNeitherRevokedNorRotated()))
    .orderBy(asc(apiKeys.id))
    .for("update", { skipLocked: true });
  return rows.map(({ keyId }) => keyId);
}

/** All rows of paid time of these keys, ended ones included, in order of id. */
export async function listPaidTime(handle: DatabaseHandle, keyIds: readonly number[]) {
  return handle
    .select({
      id: paidTime.id,
      keyId: paidTime.keyId,
      kind: paidTime.kind,
      invoiceId: paidTime.invoiceId,
      externalSubscriptionId: paidTime.externalSubscriptionId,
      planTier: paidTime.planTier,
      startsAt: paidTime.startsAt,
      durationMs: paidTime.durationMs,
      graceMs: paidTime.graceMs,
      endedAt: paidTime.endedAt,
      fromId: paidTime.fromId,
      chargedBy: paidTime.chargedBy,
    })
    .from(paidTime)
    .where(sql`${paidTime.keyId} = any(${array(keyIds, "int")})`)
    .orderBy(asc(paidTime.id));
}

export type PaidTimeRow = Awaited<ReturnType<typeof listPaidTime>>[number];

/** Whether a subscriber has already had a trial. */
export async function hadTrial(handle: DatabaseHandle, subscriptionId: number): Promise<boolean> {
  const [row] = await handle
    .select({ id: paidTime.id })
    .from(paidTime)
    .where(and(eq(paidTime.subscriptionId, subscriptionId), eq(paidTime.kind, "trial")))
    .limit(1);
  return row !== undefined;
}

/** Inserts rows of paid time. A unique index on the invoice ensures that each payment counts once. */
export async function insertPaidTime(tx: Transaction, rows: readonly NewPaidTime[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    insert into paid_time (subscription_id, key_id, kind, invoice_id, external_subscription_id, plan_tier, starts_at, duration_ms,
                           grace_ms, ended_at, from_id, charged_by)
    select r."subscriptionId", r."keyId", r.kind, r."invoiceId", r."externalSubscriptionId", r."planTier", r."startsAt",
           r."durationMs", coalesce(r."graceMs", 0), r."endedAt", r."fromId", r."chargedBy"
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r("subscriptionId" int, "keyId" int, kind text, "invoiceId" text, "externalSubscriptionId" text, "planTier" text,
             "startsAt" timestamptz, "durationMs" bigint, "graceMs" bigint, "endedAt" timestamptz, "fromId" int, "chargedBy" text)`);
}

/**
 * SQL condition on `paid_time`: the row meets `first` (a condition on the alias `p`), or its time comes from such a row, over
 * any number of changes of plan (`from_id`).
 */
export const isOrDescendsFrom = (first: SQL): SQL => sql`${paidTime.id} in (
  with recursive become as (
    select p.id from paid_time p where ${first}
    union
    select p.id from paid_time p join become b on p.from_id = b.id)
  select id from become)`;

/** Stores in the rows of a change of plan the platform's invoice that charged for it. A stored invoice is kept. */
export async function recordPlanChangeCharge(
  tx: Transaction,
  charge: { chargedBy: string; externalSubscriptionId: string; planTier: PlanTier; keyId: number },
): Promise<void> {
  await tx
    .update(paidTime)
    .set({ chargedBy: charge.chargedBy })
    .where(
      and(
        eq(paidTime.keyId, charge.keyId),
        eq(paidTime.kind, "change"),
        eq(paidTime.externalSubscriptionId, charge.externalSubscriptionId),
        eq(paidTime.planTier, charge.planTier),
        isNull(paidTime.chargedBy),
        isNull(paidTime.endedAt),
      ),
    );
}

/** Whether this invoice charged for a change of plan, even one that was undone since. */
export async function hasChargedPlanChange(handle: DatabaseHandle, invoiceId: string): Promise<boolean> {
  const [row] = await handle
    .select({ id: paidTime.id })
    .from(paidTime)
    .where(eq(paidTime.chargedBy, invoiceId))
    .limit(1);
  return row !== undefined;
}

/** In rows of plan changes, replaces the names under which the charging invoice was stored by its id `to`. */
export async function renameChargingInvoice(
  tx: Transaction,
  names: readonly string[],
  to: string,
): Promise<void> {
  if (names.length === 0) return;
  await tx
    .update(paidTime)
    .set({ chargedBy: to })
    .where(sql`${paidTime.chargedBy} = any(${array(names, "text")})`);
}

/** Whether the invoice that charged for this change of plan has ended, for example by a refund, which undoes the change. */
export async function isPlanChangeUndone(
  handle: DatabaseHandle,
  change: { keyId: number; externalSubscriptionId: string; planTier: PlanTier },
): Promise<boolean> {
  const [row] = await handle
    .select({ id: paidTime.id })
    .from(paidTime)
    .innerJoin(invoices, eq(invoices.invoiceId, paidTime.chargedBy))
    .where(
      and(
        eq(paidTime.keyId, change.keyId),
        eq(paidTime.externalSubscriptionId, change.externalSubscriptionId),
        eq(paidTime.planTier, change.planTier),
        eq(invoices.state, "ended"),
      ),
    )
    .limit(1);
  return row !== undefined;
}

/** Rows of plan changes that this invoice charged for and that have not ended, each with the plan before the change. */
export async function listPlanChangesChargedBy(tx: Transaction, invoiceId: string) {
  return tx.execute<{
    id: number;
    key_id: number;
    from_id: number;
    plan_tier: PlanTier;
    email: string | null;
  }>(sql`
    select p.id, p.key_id, p.from_id, f.plan_tier, s.email_normalized as email
      from paid_time p join paid_time f on f.id = p.from_id join subscriptions s on s.id = p.subscription_id
     where p.charged_by = ${invoiceId} and p.ended_at is null`);
}

/** Deletes rows of paid time. Only for ended rows that were a mistake, such as those of a payment that was counted twice. */
export async function deletePaidTime(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.delete(paidTime).where(sql`${paidTime.id} = any(${array(ids, "int")})`);
}

/** Ends rows of paid time, each at its time `at`. Rows that have ended are left unchanged. */
export async function endPaidTime(tx: Transaction, ends: readonly { id: number; at: Date }[]): Promise<void> {
  if (ends.length === 0) return;
  await tx.execute(sql`
    update paid_time p set ended_at = e.at
      from unnest(${array(
        ends.map(({ id }) => id),
        "int",
      )}, ${array(
        ends.map(({ at }) => at.toISOString()),
        "timestamptz",
      )}) as e(id, at)
     where p.id = e.id and p.ended_at is null`);
}

export interface NewKeyAccess {
  keyId: number;
  planTier: PlanTier;
  expiresAt: Date | null;
  stretches: PlanInterval[] | null;
}

/** Stores plan, end and consecutive plans (`stretches`) of keys, which the caller computed from their paid time. */
export async function writeKeyAccess(tx: Transaction, written: readonly NewKeyAccess[]): Promise<void> {
  if (written.length === 0) return;
  await tx.execute(sql`
    update api_keys k set plan_tier = w."planTier", expires_at = w."expiresAt", stretches = nullif(w.stretches, 'null'::jsonb)
      from jsonb_to_recordset(${JSON.stringify(written)}::jsonb)
        as w("keyId" int, "planTier" text, "expiresAt" timestamptz, stretches jsonb)
     where k.id = w."keyId"`);
}

/** Moves all paid time of a rotated key to its replacement. */
export async function movePaidTime(tx: Transaction, fromKeyId: number, toKeyId: number): Promise<void> {
  await tx.update(paidTime).set({ keyId: toKeyId }).where(eq(paidTime.keyId, fromKeyId));
}

/**
 * SQL condition: no invoice behind the subscription's `carried` time has ended since. A row of this kind sums up the payments
 * from before paid time was recorded. If one of their invoices has ended, it is unknown how many days are left.
 */
const isCarriedWhole = (subscriptionId: number): SQL => sql`not exists (
  select 1 from invoices i
   where i.subscription_id = ${subscriptionId} and i.effect is not null and i.state = 'ended'
     and i.ended_at > (select min(c.created_at) from paid_time c where c.subscription_id = ${subscriptionId} and c.kind = 'carried')
     and not exists (select 1 from paid_time p where p.invoice_id = i.invoice_id))`;

/** Whether no invoice behind a subscription's `carried` time has ended since that time was recorded. */
export async function isCarriedTimeStillPaid(
  handle: DatabaseHandle,
  subscriptionId: number,
): Promise<boolean> {
  const [row] = await handle.execute<{ is_whole: boolean }>(
    sql`select ${isCarriedWhole(subscriptionId)} as is_whole`,
  );
  return row?.is_whole === true;
}

/**
 * Moves the time that a subscription paid for to a new key: payments, trials, plan changes and grace periods that have not
 * ended, and `carried` time if none of its invoices has ended. Gifts, extensions and credits are not moved.
 */
export async function takeOverPaidTime(
  tx: Transaction,
  subscriptionId: number,
  keyId: number,
): Promise<void> {
  await tx
    .update(paidTime)
    .set({ keyId })
    .where(
      and(
        eq(paidTime.subscriptionId, subscriptionId),
        isNull(paidTime.endedAt),
        sql`(${paidTime.kind} in ('payment', 'trial', 'change', 'grace')
             or (${paidTime.kind} = 'carried' and ${isCarriedWhole(subscriptionId)}))`,
      ),
    );
}

/** All rows of paid time of a subscription, newest first, each with amount and currency of its invoice. */
export async function listPaidTimeHistory(handle: DatabaseHandle, subscriptionId: number) {
  return handle
    .select({
      id: paidTime.id,
      kind: paidTime.kind,
      invoiceId: paidTime.invoiceId,
      planTier: paidTime.planTier,
      startsAt: paidTime.startsAt,
      durationMs: paidTime.durationMs,
      graceMs: paidTime.graceMs,
      endedAt: paidTime.endedAt,
      keyId: paidTime.keyId,
      fromId: paidTime.fromId,
      amount: sql<string | null>`trim_scale(${invoices.amount})::text`,
      currency: invoices.currency,
    })
    .from(paidTime)
    .leftJoin(invoices, eq(invoices.invoiceId, paidTime.invoiceId))
    .where(eq(paidTime.subscriptionId, subscriptionId))
    .orderBy(desc(paidTime.id));
}

export type PaidTimeEntry = Awaited<ReturnType<typeof listPaidTimeHistory>>[number];
