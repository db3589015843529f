import type { DatabaseHandle } from "@/db/client";
import { findSubscriberWithKeys, type SubscriberKey } from "@/db/queries/subscribers";
import { AppError } from "@/lib/wire/errors";
import { parseId } from "./form-fields";

/** The key named in a form, which must belong to the subscriber in the path. Throws not_found. */
export async function requireKeyOfSubscriber(
  handle: DatabaseHandle,
  subscriber: { id: string },
  keyId: number,
): Promise<SubscriberKey & { subscriptionId: number }> {
  const subscriptionId = parseId(subscriber.id);
  const found = await findSubscriberWithKeys(handle, subscriptionId);
  const key = found?.keys.find((candidate) => candidate.keyId === keyId);
  if (!key) throw new AppError("not_found", { detail: "This subscriber has no such key." });
  return { ...key, subscriptionId };
}
