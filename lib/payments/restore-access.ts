import type { Database, DatabaseHandle } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { insertKey } from "@/db/queries/key-changes";
import { findPaymentDelivery, setPaymentDeliveryReviewed } from "@/db/queries/payment-deliveries";
import {
  findInvoice,
  findLastRunningInvoice,
  hasKeyNeitherRevokedNorRotated,
  lockBuyerAddress,
  lockInvoicesAndAddresses,
  lockKeysByEmail,
  lockPayer,
  type RunningInvoice,
} from "@/db/queries/payments";
import { newKey } from "@/lib/access/keys/new-key";
import { findRemainingPaidAccess, transferPaidTime } from "@/lib/access/keys/paid-time-of-keys";
import { queueKeyMail } from "@/lib/access/keys/queue-key-mail";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { AppError } from "@/lib/wire/errors";
import type { DeliveryFlag } from "./delivery";
import { findDeliveryAddress } from "./find-delivery-address";

/** The plan and end of a new key, or why access cannot be restored. `key_works` also stands for an expired key. */
export type RestorableAccess = { paid: RunningInvoice } | { hinder: "key_works" | "nothing_paid" };

const RAISED_BY: readonly DeliveryFlag[] = ["another_paid_invoice", "chargeback_won"];

interface EndingDelivery {
  id: number;
  invoiceId: string | null;
  flags: readonly string[];
}

/**
 * The address whose keys a delivery revoked: the payer's, or the one that the delivery names if it names another buyer, or if
 * the payer's account was deleted and the address bought again since.
 */
async function findLostAddress(
  handle: DatabaseHandle,
  { id, flags }: EndingDelivery,
  payer: string | null,
): Promise<string | null> {
  const isPayers = payer !== null && !flags.includes("other_buyer" satisfies DeliveryFlag);
  return isPayers ? payer : findDeliveryAddress(handle, id);
}

/**
 * The access that can be restored after a delivery ended it although it was paid for: the end of one invoice while
 * another was paid, or a chargeback that was won. Null for every other delivery.
 */
export async function findRestorableAccess(
  handle: DatabaseHandle,
  delivery: EndingDelivery,
): Promise<RestorableAccess | null> {
  const { invoiceId, flags } = delivery;
  if (invoiceId === null || !RAISED_BY.some((flag) => flags.includes(flag))) return null;
  const payer = (await findInvoice(handle, invoiceId))?.emailNormalized ?? null;
  const address = await findLostAddress(handle, delivery, payer);
  if (address === null) return { hinder: "nothing_paid" };
  if (await hasKeyNeitherRevokedNorRotated(handle, address)) return { hinder: "key_works" };
  const won = flags.includes("chargeback_won" satisfies DeliveryFlag) ? invoiceId : null;
  const paid = await findLastRunningInvoice(handle, address, won);
  if (!paid) return { hinder: "nothing_paid" };
  const left = await findRemainingPaidAccess(handle, paid.subscriptionId, await readClock(handle));
  return {
    paid: { ...paid, ...(left && { planTier: left.planTier, expiresAt: left.expiresAt ?? paid.expiresAt }) },
  };
}

/**
 * Gives the buyer a new key of the same subscription until the paid end, mails it, and marks the delivery as reviewed,
 * if `findRestorableAccess` allows it. The revoked keys stay revoked. Throws not_found or conflict: a second call
 * throws conflict, because of the new key.
 */
export async function restoreAccess(
  database: Database,
  deliveryId: number,
  actor: Actor,
): Promise<{ keyId: number; subscriptionId: number }> {
  return database.transaction(async (tx) => {
    const delivery = await findPaymentDelivery(tx, deliveryId);
    if (!delivery?.invoiceId) throw new AppError("not_found", { detail: "There is no such delivery." });
    // Takes the locks in the order of a payment, so that a concurrent payment is seen here or sees this key.
    await lockInvoicesAndAddresses(tx, [delivery.invoiceId], []);
    const payer = await lockPayer(tx, delivery.invoiceId);
    const address = await findLostAddress(tx, delivery, payer);
    if (address !== null && address !== payer) await lockBuyerAddress(tx, address);
    if (address !== null) await lockKeysByEmail(tx, address);
    const found = await findRestorableAccess(tx, delivery);
    if (!found || "hinder" in found)
      throw new AppError("conflict", {
        detail:
          found?.hinder === "key_works"
            ? "The buyer has a key that is not revoked. Extend it instead, if it has expired."
            : "The buyer has no paid time left.",
      });

    const { subscriptionId, userName, email, invoiceId, ...paid } = found.paid;
    const { apiKey, keyHash, hint } = newKey();
    const keyId = await insertKey(tx, { subscriptionId, keyHash, hint, ...paid });
    const adopted = await transferPaidTime(tx, { keyId, subscriptionId }, await readClock(tx));
    const { planTier, expiresAt } = adopted ?? paid;
    const stretches = adopted?.stretches ?? null;
    await queueKeyMail(tx, {
      keyId,
      apiKey,
      planTier,
      expiresAt,
      paidUntil: adopted?.paidUntil ?? null,
      stretches,
      owner: { subscriptionId, userName, email },
    });
    await recordAudit(tx, {
      actor,
      action: "payment.give_back",
      target: `key/${keyId}`,
      subscriptionId,
      details: { deliveryId, invoiceId, planTier, expiresAt: expiresAt?.toISOString() ?? null },
    });
    await setPaymentDeliveryReviewed(tx, deliveryId);
    return { keyId, subscriptionId };
  });
}
