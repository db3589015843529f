import type { Database } from "@/db/client";
import { setSessionSubscription } from "@/db/queries/sessions";
import { listSubscriptionsOfPerson } from "@/db/queries/subscriptions";

/** Switches the session to another of the person's subscriptions. false: it is not theirs, or not in force. */
export async function chooseOwnSubscription(
  database: Database,
  person: { sessionId: string; emailNormalized: string | null; ownSubscriptionId: number | null },
  wanted: string,
): Promise<boolean> {
  const own = await listSubscriptionsOfPerson(database, person);
  const found = own.find(
    (candidate) => String(candidate.subscriptionId) === wanted && candidate.state === "live",
  );
  if (!found) return false;
  await setSessionSubscription(database, person.sessionId, found.subscriptionId);
  return true;
}
