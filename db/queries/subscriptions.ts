import { and, desc, eq, isNull, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { type SubscriptionPreferences, subscriptions } from "@/db/schema";
import type { PlanTier } from "@/lib/vocabulary";
import { columns, number, type Row, text, timestampOrNull } from "./columns";
import { isInForce, keyColumnsAs, planInForce } from "./key-state";
import { lockWithRaisedTimeout } from "./lock-timeout";

type SubscriptionRow = typeof subscriptions.$inferSelect;
type Contact = Pick<SubscriptionRow, "userName" | "email" | "emailNormalized">;

/** A subscription by its id. Throws an Error if it does not exist, which foreign keys prevent for ids from other tables. */
export async function getSubscription(
  handle: DatabaseHandle,
  subscriptionId: number,
): Promise<SubscriptionRow> {
  const [row] = await handle.select().from(subscriptions).where(eq(subscriptions.id, subscriptionId));
  if (!row) throw new Error("a key without its subscription");
  return row;
}

/**
 * Name, address and notes of a subscription, whose row is locked until commit; null: unknown id. Transactions that change the
 * subscription's keys take the same lock. Execution reports are not blocked by it (`no key update`).
 */
export async function lockSubscription(tx: Transaction, subscriptionId: number) {
  await tx.execute(lockWithRaisedTimeout());
  const [row] = await tx
    .select({ userName: subscriptions.userName, email: subscriptions.email, notes: subscriptions.notes })
    .from(subscriptions)
    .where(eq(subscriptions.id, subscriptionId))
    .for("no key update");
  return row ?? null;
}

/** The subscriber's name of a subscription; null: unknown id. */
export async function findUserName(handle: DatabaseHandle, subscriptionId: number): Promise<string | null> {
  const [row] = await handle
    .select({ userName: subscriptions.userName })
    .from(subscriptions)
    .where(eq(subscriptions.id, subscriptionId));
  return row?.userName ?? null;
}

/** The newest subscription of an address, regardless of the state of its keys; null if the address is unknown. */
export async function findNewestSubscription(handle: DatabaseHandle, emailNormalized: string) {
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

/** Replaces name, address and notes of a subscription that the caller has locked. */
export async function updateContact(
  tx: Transaction,
  subscriptionId: number,
  contact: Contact & { notes: string | null },
): Promise<void> {
  await tx.update(subscriptions).set(contact).where(eq(subscriptions.id, subscriptionId));
}

/** Replaces all portal preferences of a subscription. */
export async function replacePreferences(
  handle: DatabaseHandle,
  subscriptionId: number,
  preferences: SubscriptionPreferences,
): Promise<void> {
  await handle.update(subscriptions).set({ preferences }).where(eq(subscriptions.id, subscriptionId));
}

/** Sets some portal preferences and keeps the others. Returns false if the account does not exist or was deleted. */
export async function patchPreferences(
  handle: DatabaseHandle,
  subscriptionId: number,
  change: SubscriptionPreferences,
): Promise<boolean> {
  const changed = await handle
    .update(subscriptions)
    .set({ preferences: sql`${subscriptions.preferences} || ${JSON.stringify(change)}::jsonb` })
    .where(and(eq(subscriptions.id, subscriptionId), isNull(subscriptions.erasedAt)))
    .returning({ id: subscriptions.id });
  return changed.length > 0;
}

const OWN = columns({
  subscriptionId: number("b.id"),
  userName: text("b.user_name"),
  planTier: text<PlanTier | null>("a.plan_tier"),
  hint: text<string | null>("a.hint"),
  expiresAt: timestampOrNull("a.expires_at"),
  /** `live`: a key works. Else how the newest key that was not rotated ended; `none`: there is no such key. */
  state: text<"live" | "expired" | "suspended" | "revoked" | "none">(
    `case when a.id is null then 'none' when a.in_force then 'live' when a.revoked_at is not null then 'revoked'
          when a.suspended_at is not null then 'suspended' else 'expired' end`,
  ),
  endedAt: timestampOrNull(
    "(case when a.in_force then null else coalesce(a.revoked_at, a.suspended_at, a.expires_at) end)",
  ),
});
export type SubscriptionOfPerson = Row<typeof OWN>;

/**
 * A person's subscriptions, each with its newest working key or, without one, its newest key that was not rotated.
 * Subscriptions with a working key come first.
 */
export async function listSubscriptionsOfPerson(
  handle: DatabaseHandle,
  owner: { emailNormalized: string | null; ownSubscriptionId: number | null },
): Promise<SubscriptionOfPerson[]> {
  return OWN.all(
    handle,
    sql`
    select ${OWN.list}
      from subscriptions b
      left join lateral (
        select k.id, ${planInForce(keyColumnsAs("k"))} as plan_tier, k.hint, k.expires_at, k.revoked_at, k.suspended_at, ${isInForce(keyColumnsAs("k"))} as in_force
          from api_keys k
         where k.subscription_id = b.id and k.rotated_at is null
         order by in_force desc, k.id desc
         limit 1) a on true
     where b.email_normalized = ${owner.emailNormalized} or b.id = ${owner.ownSubscriptionId}
     order by coalesce(a.in_force, false) desc, b.id`,
  );
}
