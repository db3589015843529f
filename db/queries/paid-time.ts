import { and, asc, desc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Handle, Transaction } from "@/db/client";
import { apiKeys, invoices, paidTime, type StoredStretch } from "@/db/schema";
import type { PlanTier } from "@/lib/vocabulary";
import { isUnended } from "./key-state";
import { array } from "./parameters";

export type NewPaidTime = Omit<typeof paidTime.$inferInsert, "id" | "createdAt">;

/** Keys with what is written on them: literal ends and plans of other hands among it. */
export async function listLedgerKeys(tx: Transaction, keyIds: readonly number[]) {
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

export type LedgerKey = Awaited<ReturnType<typeof listLedgerKeys>>[number];

/** Keys with plans that follow each other or run together, held; one that is being changed now is left out. */
export async function lockKeysOfSeveralPlans(tx: Transaction): Promise<number[]> {
  const rows = await tx
    .select({ keyId: apiKeys.id })
    .from(apiKeys)
    .where(and(isNotNull(apiKeys.stretches), isUnended()))
    .orderBy(asc(apiKeys.id))
    .for("update", { skipLocked: true });
  return rows.map(({ keyId }) => keyId);
}

/** Every row of these keys. The caller holds the keys. */
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
    })
    .from(paidTime)
    .where(sql`${paidTime.keyId} = any(${array(keyIds, "int")})`)
    .orderBy(asc(paidTime.id));
}

export type PaidTimeRow = Awaited<ReturnType<typeof listPaidTime>>[number];

/** Enters rows into the ledger. The unique index on the invoice makes a payment count once. */
export async function insertPaidTime(tx: Transaction, rows: readonly NewPaidTime[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    insert into paid_time (subscription_id, key_id, kind, invoice_id, external_subscription_id, plan_tier, starts_at, duration_ms,
                           grace_ms, ended_at)
    select r."subscriptionId", r."keyId", r.kind, r."invoiceId", r."externalSubscriptionId", r."planTier", r."startsAt",
           r."durationMs", coalesce(r."graceMs", 0), r."endedAt"
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r("subscriptionId" int, "keyId" int, kind text, "invoiceId" text, "externalSubscriptionId" text, "planTier" text,
             "startsAt" timestamptz, "durationMs" bigint, "graceMs" bigint, "endedAt" timestamptz)`);
}

/** Ends rows, each at its instant; one that has ended stays as it is. */
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
  stretches: StoredStretch[] | null;
}

/** Writes on keys what their ledgers amount to. */
export async function writeAccess(tx: Transaction, written: readonly WrittenAccess[]): Promise<void> {
  if (written.length === 0) return;
  await tx.execute(sql`
    update api_keys k set plan_tier = w."planTier", expires_at = w."expiresAt", stretches = nullif(w.stretches, 'null'::jsonb)
      from jsonb_to_recordset(${JSON.stringify(written)}::jsonb)
        as w("keyId" int, "planTier" text, "expiresAt" timestamptz, stretches jsonb)
     where k.id = w."keyId"`);
}

/** Hands the ledger of a key on to the one that replaces it. */
export async function movePaidTime(tx: Transaction, fromKeyId: number, toKeyId: number): Promise<void> {
  await tx.update(paidTime).set({ keyId: toKeyId }).where(eq(paidTime.keyId, fromKeyId));
}

/** Hands what was paid and is not ended on to a new key of the subscription. */
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
        sql`${paidTime.kind} in ('payment', 'trial', 'change')`,
      ),
    );
}

/** Why a subscriber has access: the newest rows first, with what was paid. */
export async function listLedger(handle: Handle, subscriptionId: number) {
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

export type LedgerEntry = Awaited<ReturnType<typeof listLedger>>[number];
