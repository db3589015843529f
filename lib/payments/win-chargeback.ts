import type { Database, DatabaseHandle } from "@/db/client";
import { findPaymentDelivery, setPaymentDeliveryReviewed } from "@/db/queries/payment-deliveries";
import {
  hasKeyNeitherRevokedNorRotated,
  listAddressesRevokedByChargeback,
  lockInvoicesAndAddresses,
  lockPayer,
} from "@/db/queries/payments";
import type { Actor } from "@/lib/runtime/audit";
import { AppError } from "@/lib/wire/errors";
import { applyWonChargeback } from "./apply-won-chargeback";

/**
 * Whether the chargeback of a delivery can be marked as won: `open` if the keys that it revoked can be reinstated,
 * `key_works` if the buyer has another key that was neither revoked nor rotated, even an expired one. Null if the
 * delivery is no chargeback, or no key is revoked by it any more.
 */
export async function findWinnableChargeback(
  handle: DatabaseHandle,
  { invoiceId, action }: { invoiceId: string | null; action: string },
): Promise<"open" | "key_works" | null> {
  if (invoiceId === null || action !== "access_revoked") return null;
  const owners = await listAddressesRevokedByChargeback(handle, invoiceId);
  if (owners.length === 0) return null;
  const works = await Promise.all(owners.map((address) => hasKeyNeitherRevokedNorRotated(handle, address)));
  return works.includes(true) ? "key_works" : "open";
}

/**
 * Marks a chargeback as won for an administrator, because not every platform reports it: the keys that it revoked are
 * reinstated until their own ends. Throws not_found, or conflict if no key can be reinstated.
 */
export async function markChargebackWon(database: Database, deliveryId: number, actor: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const delivery = await findPaymentDelivery(tx, deliveryId);
    if (!delivery?.invoiceId) throw new AppError("not_found", { detail: "There is no such delivery." });
    const { invoiceId } = delivery;
    await lockInvoicesAndAddresses(tx, [invoiceId], []);
    await lockPayer(tx, invoiceId);
    const found = await findWinnableChargeback(tx, delivery);
    // A second click is not a repeated delivery: it finds no key to reinstate.
    const won =
      found === "open" &&
      (await applyWonChargeback(tx, { invoiceId, buyer: null }, { actor, isRepeated: false })) ===
        "reinstated";
    if (!won)
      throw new AppError("conflict", {
        detail:
          found === "key_works"
            ? "The buyer has another key that is not revoked. Extend it instead, if it has expired."
            : "No key is revoked by this chargeback any more.",
      });
    await setPaymentDeliveryReviewed(tx, deliveryId);
  });
}
