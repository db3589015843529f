import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import type { Transaction } from "../client";
import { apiKeys, subscriptions } from "../schema";

/**
 * Name and address of a subscription, which nobody else changes the keys of until the transaction ends.
 * `no key update` lets reports of executions pass meanwhile.
 */
export async function lockSubscription(tx: Transaction, subscriptionId: number) {
  const [row] = await tx
    .select({ userName: subscriptions.userName, email: subscriptions.email })
    .from(subscriptions)
    .where(eq(subscriptions.id, subscriptionId))
    .for("no key update");
  if (!row) throw new Error("a key without its subscription");
  return row;
}

/** Ends a live key as rotated and returns its grant; null when it is live no more. */
export async function endRotatedKey(tx: Transaction, keyId: number) {
  const [row] = await tx
    .update(apiKeys)
    .set({ rotatedAt: sql`now()` })
    .where(
      and(
        eq(apiKeys.id, keyId),
        isNull(apiKeys.rotatedAt),
        isNull(apiKeys.revokedAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, sql`now()`)),
      ),
    )
    .returning({
      subscriptionId: apiKeys.subscriptionId,
      planTier: apiKeys.planTier,
      expiresAt: apiKeys.expiresAt,
      symbolsAllowed: apiKeys.symbolsAllowed,
      tfsAllowed: apiKeys.tfsAllowed,
      rateLimitPerMin: apiKeys.rateLimitPerMin,
      // Never null after this update; the column's type does not know.
      rotatedAt: sql<Date>`${apiKeys.rotatedAt}`.mapWith(apiKeys.rotatedAt),
    });
  return row ?? null;
}

type EndedKey = NonNullable<Awaited<ReturnType<typeof endRotatedKey>>>;

/** Inserts the key that takes over the grant of an ended one. Returns its id. */
export async function insertSuccessor(
  tx: Transaction,
  ended: EndedKey,
  key: { keyHash: string; hint: string },
): Promise<number> {
  const { rotatedAt: _, ...grant } = ended;
  const [row] = await tx
    .insert(apiKeys)
    .values({ ...grant, ...key })
    .returning({ id: apiKeys.id });
  if (!row) throw new Error("the insert returned no key");
  return row.id;
}

/** In which way a key that is not live has ended. */
export async function findKeyEnd(
  tx: Transaction,
  keyId: number,
): Promise<"key_revoked" | "key_rotated" | "key_expired"> {
  const [row] = await tx
    .select({ revokedAt: apiKeys.revokedAt, rotatedAt: apiKeys.rotatedAt })
    .from(apiKeys)
    .where(eq(apiKeys.id, keyId));
  if (row?.revokedAt) return "key_revoked";
  return row?.rotatedAt ? "key_rotated" : "key_expired";
}
