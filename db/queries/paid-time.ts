import { and, asc, desc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { Handle, Transaction } from "@/db/client";
import { apiKeys, invoices, paidTime, type StoredInterval } from "@/db/schema";
import type { PlanTier } from "@/lib/vocabulary";
import { isUnended } from "./key-state";
import { array } from "./parameters";

export type NewPaidTime = Omit<typeof paidTime.$inferInsert, "id" | "createdAt">;

/** Keys with their written access, including ends and plans that other code has set. */
export async function listKeysWithAccess(tx: Transaction, keyIds: readonly number[]) {
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

export type KeyWithAccess = Awaited<ReturnType<typeof listKeysWithAccess>>[number];

/** Keys with consecutive or concurrent plans, locked; those that are being changed are skipped. */
export async function lockKeysOfSeveralPlans(tx: Transaction): Promise<number[]> {
  const rows = await tx
    .select({ keyId: apiKeys.id })
    .from(apiKeys)
    .where(and(isNotNull(apiKeys.stretches), isUnended()))
    .orderBy(asc(apiKeys.id))
    .for("update", { skipLocked: true });
  return rows.map(({ keyId }) => keyId);
}

/** Every row of these keys. The caller has locked the keys. */
export async function listPaidTime(handle: Handle, keyIds: readonly number[]) {
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
export async function hadTrial(handle: Handle, subscriptionId: number): Promise<boolean> {
  const [row] = await handle
    .select({ id: paidTime.id })
    .from(paidTime)
    .where(and(eq(paidTime.subscriptionId, subscriptionId), eq(paidTime.kind, "trial")))
    .limit(1);
  return row !== undefined;
}

/** Inserts paid time. The unique index on the invoice makes each payment count once. */
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

/** Condition for a row and all rows that its time was moved to. */
export const withDescendants = (first: SQL): SQL => sql`${paidTime.id} in (
  with recursive become as (
    select p.id from paid_time p where ${first}
    union
    select p.id from paid_time p join become b on p.from_id = b.id)
  select id from become)`;

/** Records that a charge of the platform was for an already announced change of plan. */
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

/** Whether a platform's charge was for a change of plan, even one that was undone since. */
export async function hasChargedChange(handle: Handle, invoiceId: string): Promise<boolean> {
  const [row] = await handle
    .select({ id: paidTime.id })
    .from(paidTime)
    .where(eq(paidTime.chargedBy, invoiceId))
    .limit(1);
  return row !== undefined;
}

/** Replaces the other names of a platform's invoice by its own in the rows that it charged for. */
export async function renameCharge(tx: Transaction, names: readonly string[], to: string): Promise<void> {
  if (names.length === 0) return;
  await tx
    .update(paidTime)
    .set({ chargedBy: to })
    .where(sql`${paidTime.chargedBy} = any(${array(names, "text")})`);
}

/** Whether a change of a platform's subscription to this plan was undone because its charge was refunded. */
export async function isChangeUndone(
  handle: Handle,
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

/** Rows that a platform's charge for a change of plan created, with the plan that their time came from. */
export async function listChangesChargedBy(tx: Transaction, invoiceId: string) {
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

/** Deletes ended rows that should never have existed. */
export async function deletePaidTime(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.delete(paidTime).where(sql`${paidTime.id} = any(${array(ids, "int")})`);
}

/** Ends rows, each at its instant; ended ones are unchanged. */
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

export interface WrittenAccess {
  keyId: number;
  planTier: PlanTier;
  expiresAt: Date | null;
  stretches: StoredInterval[] | null;
}

/** Writes the computed access of keys. */
export async function writeAccess(tx: Transaction, written: readonly WrittenAccess[]): Promise<void> {
  if (written.length === 0) return;
  await tx.execute(sql`
    update api_keys k set plan_tier = w."planTier", expires_at = w."expiresAt", stretches = nullif(w.stretches, 'null'::jsonb)
      from jsonb_to_recordset(${JSON.stringify(written)}::jsonb)
        as w("keyId" int, "planTier" text, "expiresAt" timestamptz, stretches jsonb)
     where k.id = w."keyId"`);
}

/** Moves the paid time of a key to its replacement. */
export async function movePaidTime(tx: Transaction, fromKeyId: number, toKeyId: number): Promise<void> {
  await tx.update(paidTime).set({ keyId: toKeyId }).where(eq(paidTime.keyId, fromKeyId));
}

/**
 * Whether none of the carried-over time was revoked since: such a row sums up payments without their own rows and
 * does not say which days belong to which.
 */
const isCarriedWhole = (subscriptionId: number): SQL => sql`not exists (
  select 1 from invoices i
   where i.subscription_id = ${subscriptionId} and i.effect is not null and i.state = 'ended'
     and i.ended_at > (select min(c.created_at) from paid_time c where c.subscription_id = ${subscriptionId} and c.kind = 'carried')
     and not exists (select 1 from paid_time p where p.invoice_id = i.invoice_id))`;

export async function isCarriedTimeWhole(handle: Handle, subscriptionId: number): Promise<boolean> {
  const [row] = await handle.execute<{ is_whole: boolean }>(
    sql`select ${isCarriedWhole(subscriptionId)} as is_whole`,
  );
  return row?.is_whole === true;
}

/**
 * Moves paid time that has not ended to a new key of the subscription, with the grace periods in which some of it was
 * paid.
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

/** Reasons of a subscriber's access: newest rows first, with their payments. */
export async function listPaidTimeHistory(handle: Handle, subscriptionId: number) {
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
      amount: sql<string | null>`trim_scale(${invoices.amount})::text`,
      currency: invoices.currency,
    })
    .from(paidTime)
    .leftJoin(invoices, eq(invoices.invoiceId, paidTime.invoiceId))
    .where(eq(paidTime.subscriptionId, subscriptionId))
    .orderBy(desc(paidTime.id));
}

export type PaidTimeEntry = Awaited<ReturnType<typeof listPaidTimeHistory>>[number];
