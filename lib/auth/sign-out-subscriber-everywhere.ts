import type { Database } from "@/db/client";
import { endSessionsEverywhere } from "@/db/queries/sessions";
import { type Actor, recordAudit } from "@/lib/runtime/audit";

/**
 * Signs a person out in every browser, and ends the sessions of others that have selected the subscription. The key
 * stays valid, and an administrator's view stays open.
 */
export async function signOutSubscriberEverywhere(
  database: Database,
  owner: { userId: string; subscriptionId: number },
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const ended = await endSessionsEverywhere(tx, owner);
    await recordAudit(tx, {
      actor,
      action: "session.end_all",
      target: `subscription/${owner.subscriptionId}`,
      subscriptionId: owner.subscriptionId,
      details: { ended },
    });
  });
}
