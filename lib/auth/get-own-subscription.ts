import { db } from "@/db/client";
import { listSubscriptionsOfPerson } from "@/db/queries/subscriptions";
import { AppError } from "@/lib/wire/errors";

/**
 * The id of the person's own subscription `wanted`, also if its access has ended. Throws not_found for every other id,
 * and for a person who signed in by key: a key whose access has ended may have been stolen.
 */
export async function getOwnSubscriptionId(
  person: { emailNormalized: string | null; ownSubscriptionId: number | null },
  wanted: string,
): Promise<number> {
  const own = person.emailNormalized === null ? [] : await listSubscriptionsOfPerson(db(), person);
  const found = own.find(({ subscriptionId }) => String(subscriptionId) === wanted);
  if (!found) throw new AppError("not_found");
  return found.subscriptionId;
}
