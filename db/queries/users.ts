import type { DatabaseHandle } from "@/db/client";
import { users } from "@/db/schema";

/** Id of the user with this address, who is created if unknown. */
export async function ensureUserByEmail(handle: DatabaseHandle, emailNormalized: string): Promise<string> {
  const [row] = await handle
    .insert(users)
    .values({ emailNormalized })
    .onConflictDoUpdate({ target: users.emailNormalized, set: { emailNormalized } })
    .returning({ id: users.id });
  if (!row) throw new Error("the upsert returned no user");
  return row.id;
}

/**
 * Id of the user for sign-ins by a key of this subscription, who is created if unknown. This user sees only this
 * subscription.
 */
export async function ensureUserBySubscription(
  handle: DatabaseHandle,
  subscriptionId: number,
): Promise<string> {
  const [row] = await handle
    .insert(users)
    .values({ subscriptionId })
    .onConflictDoUpdate({ target: users.subscriptionId, set: { subscriptionId } })
    .returning({ id: users.id });
  if (!row) throw new Error("the upsert returned no user");
  return row.id;
}
