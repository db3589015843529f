import { desc, eq } from "drizzle-orm";
import type { Handle, Transaction } from "@/db/client";
import { type SubscriptionPreferences, subscriptions } from "@/db/schema";

type SubscriptionRow = typeof subscriptions.$inferSelect;
type Contact = Pick<SubscriptionRow, "userName" | "email" | "emailNormalized">;

/** Opens a subscription; returns its id. */
export async function insertSubscription(
  tx: Transaction,
  row: Contact & { notes?: string | null },
): Promise<number> {
  const [inserted] = await tx.insert(subscriptions).values(row).returning({ id: subscriptions.id });
  if (!inserted) throw new Error("the insert returned no subscription");
  return inserted.id;
}

/** Name, address and preferences behind a key. Throws when it is not there, which the schema rules out. */
export async function getSubscription(handle: Handle, subscriptionId: number): Promise<SubscriptionRow> {
  const [row] = await handle.select().from(subscriptions).where(eq(subscriptions.id, subscriptionId));
  if (!row) throw new Error("a key without its subscription");
  return row;
}

/**
 * Name, address and notes of a subscription, which nobody else changes, nor the keys of, until the transaction ends;
 * null when there is none with this id. `no key update` lets reports of executions pass meanwhile.
 */
export async function lockSubscription(tx: Transaction, subscriptionId: number) {
  const [row] = await tx
    .select({ userName: subscriptions.userName, email: subscriptions.email, notes: subscriptions.notes })
    .from(subscriptions)
    .where(eq(subscriptions.id, subscriptionId))
    .for("no key update");
  return row ?? null;
}

/** The newest subscription under an address, whatever became of its keys; null for someone unknown. */
export async function findNewestSubscription(handle: Handle, emailNormalized: string) {
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

/** Replaces name, address and notes of a subscription that is locked by the caller. */
export async function updateContact(
  tx: Transaction,
  subscriptionId: number,
  contact: Contact & { notes: string | null },
): Promise<void> {
  await tx.update(subscriptions).set(contact).where(eq(subscriptions.id, subscriptionId));
}

/** Replaces the portal's preferences of one subscription. */
export async function updatePreferences(
  handle: Handle,
  subscriptionId: number,
  preferences: SubscriptionPreferences,
): Promise<void> {
  await handle.update(subscriptions).set({ preferences }).where(eq(subscriptions.id, subscriptionId));
}
