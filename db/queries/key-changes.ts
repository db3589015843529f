import { and, desc, eq, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { apiKeys, paidTime, subscriptions } from "@/db/schema";
import { isInForce, isNeitherRevokedNorRotated, planInForce } from "./key-state";

type KeyRow = typeof apiKeys.$inferSelect;
/** Plan, scope and rate limit of a key. */
type GrantColumns = Pick<KeyRow, "planTier" | "symbolsAllowed" | "tfsAllowed" | "rateLimitPerMin">;
type NewKeyRow = Pick<KeyRow, "subscriptionId" | "keyHash" | "hint" | "planTier" | "expiresAt"> &
  Partial<GrantColumns & Pick<KeyRow, "stretches" | "delayCandles">>;
type NewSubscriptionRow = Pick<
  typeof subscriptions.$inferInsert,
  "userName" | "email" | "emailNormalized" | "notes" | "createdAt"
>;

const GRANT = {
  planTier: planInForce(),
  symbolsAllowed: apiKeys.symbolsAllowed,
  tfsAllowed: apiKeys.tfsAllowed,
  rateLimitPerMin: apiKeys.rateLimitPerMin,
};

/** Stores a new key's hash and hint, not the key itself, with its plan and limits. Returns its id. */
export async function insertKey(tx: Transaction, row: NewKeyRow): Promise<number> {
  const [inserted] = await tx.insert(apiKeys).values(row).returning({ id: apiKeys.id });
  if (!inserted) throw new Error("the insert returned no key");
  return inserted.id;
}

/** Creates a subscription with its first key, in one statement. */
export async function insertSubscriptionWithKey(
  tx: Transaction,
  subscription: NewSubscriptionRow,
  key: Omit<NewKeyRow, "subscriptionId">,
): Promise<{ subscriptionId: number; keyId: number }> {
  const owner = tx
    .$with("owner")
    .as(tx.insert(subscriptions).values(subscription).returning({ id: subscriptions.id }));
  const [inserted] = await tx
    .with(owner)
    .insert(apiKeys)
    .values({ ...key, subscriptionId: sql`(select id from ${owner})` })
    .returning({ subscriptionId: apiKeys.subscriptionId, keyId: apiKeys.id });
  if (!inserted) throw new Error("the insert returned no key");
  return inserted;
}

/** A key with its plan, scope, rate limit and end dates, locked until commit; null: no such key. */
export async function lockKey(tx: Transaction, keyId: number) {
  const [row] = await tx
    .select({
      ...GRANT,
      subscriptionId: apiKeys.subscriptionId,
      expiresAt: apiKeys.expiresAt,
      revokedAt: apiKeys.revokedAt,
      rotatedAt: apiKeys.rotatedAt,
      suspendedAt: apiKeys.suspendedAt,
      delayCandles: apiKeys.delayCandles,
    })
    .from(apiKeys)
    .where(eq(apiKeys.id, keyId))
    .for("update");
  return row ?? null;
}

/** Changes scope, rate limit, expiry, suspension or delay of a key that the caller has locked. */
export async function updateKey(
  tx: Transaction,
  keyId: number,
  change: Partial<
    Omit<GrantColumns, "planTier"> & Pick<KeyRow, "expiresAt" | "suspendedAt" | "delayCandles">
  >,
): Promise<void> {
  await tx.update(apiKeys).set(change).where(eq(apiKeys.id, keyId));
}

/** Turns a locked try-out key into an ordinary key that expires `now` and has no paid time. The caller then adds paid time. */
export async function convertTryOutKey(tx: Transaction, keyId: number, now: Date): Promise<void> {
  await tx.update(apiKeys).set({ delayCandles: null, expiresAt: now }).where(eq(apiKeys.id, keyId));
  await tx.delete(paidTime).where(eq(paidTime.keyId, keyId));
}

/** Plan, scope and rate limit (`grant`) of each key of a subscription, and whether it works or is suspended; newest first. */
export async function listKeyGrants(handle: DatabaseHandle, subscriptionId: number) {
  return handle
    .select({
      grant: GRANT,
      works: isInForce(),
      isSuspended: sql<boolean>`(${isNeitherRevokedNorRotated()} and ${apiKeys.suspendedAt} is not null)`,
    })
    .from(apiKeys)
    .where(eq(apiKeys.subscriptionId, subscriptionId))
    .orderBy(desc(apiKeys.id));
}

/** Revokes a key. Returns its subscription and the time; null: revoked or rotated before, or unknown. */
export async function markKeyRevoked(tx: Transaction, keyId: number) {
  const [row] = await tx
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(apiKeys.id, keyId), isNeitherRevokedNorRotated()))
    .returning({
      subscriptionId: apiKeys.subscriptionId,
      // Typed as not null: this update has just set it.
      revokedAt: sql<Date>`${apiKeys.revokedAt}`.mapWith(apiKeys.revokedAt),
    });
  return row ?? null;
}

/** Marks a working key as rotated. Returns the columns that its replacement inherits; null: the key does not work. */
export async function markKeyRotated(tx: Transaction, keyId: number) {
  const [row] = await tx
    .update(apiKeys)
    .set({ rotatedAt: sql`now()` })
    .where(and(eq(apiKeys.id, keyId), isInForce()))
    .returning({
      ...GRANT,
      subscriptionId: apiKeys.subscriptionId,
      stretches: apiKeys.stretches,
      delayCandles: apiKeys.delayCandles,
      expiresAt: apiKeys.expiresAt,
      // Typed as not null: this update has just set it.
      rotatedAt: sql<Date>`${apiKeys.rotatedAt}`.mapWith(apiKeys.rotatedAt),
    });
  return row ?? null;
}

/** The times at which a key was revoked, rotated or suspended; null: no such key. */
export async function findKeyStateTimes(handle: DatabaseHandle, keyId: number) {
  const [row] = await handle
    .select({
      revokedAt: apiKeys.revokedAt,
      rotatedAt: apiKeys.rotatedAt,
      suspendedAt: apiKeys.suspendedAt,
    })
    .from(apiKeys)
    .where(eq(apiKeys.id, keyId));
  return row ?? null;
}
