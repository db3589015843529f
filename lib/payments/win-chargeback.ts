import type { Database, Handle } from "@/db/client";
import { findDelivery, markReviewed } from "@/db/queries/deliveries";
import { findInvoice, hasUnendedKey, listOwnersOfChargedBack, lockPayment } from "@/db/queries/payments";
import type { Actor } from "@/lib/runtime/audit";
import { AppError } from "@/lib/wire/errors";
import { applyWonChargeback } from "./apply-won-chargeback";

/**
 * Whether the chargeback of a delivery can be called won: `open` where the keys that it switched off would work again,
 * `key_works` where the buyer has another by now. Null for every other delivery.
 */
export async function findWinnable(
  handle: Handle,
  { invoiceId, action }: { invoiceId: string | null; action: string },
): Promise<"open" | "key_works" | null> {
  if (invoiceId === null || action !== "access_revoked") return null;
  const owners = await listOwnersOfChargedBack(handle, invoiceId);
  if (owners.length === 0) return null;
  const works = await Promise.all(owners.map((address) => hasUnendedKey(handle, address)));
  return works.includes(true) ? "key_works" : "open";
}

/**
 * A person says that a chargeback was won, which not every platform tells: the keys that it switched off work again, as
 * if the platform had said it. Throws not_found, or conflict where there is nothing to reinstate.
 */
export async function winChargeback(database: Database, deliveryId: number, actor: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const delivery = await findDelivery(tx, deliveryId);
    if (!delivery?.invoiceId) throw new AppError("not_found", { detail: "There is no such delivery." });
    const { invoiceId } = delivery;
    const invoice = await findInvoice(tx, invoiceId);
    await lockPayment(tx, invoiceId, invoice?.emailNormalized ?? null);
    const found = await findWinnable(tx, delivery);
    // Without bytes to compare, a second click finds no key to reinstate.
    const won =
      found === "open" &&
      (await applyWonChargeback(tx, { invoiceId, buyer: null }, { actor, bodyDigest: null })) ===
        "reinstated";
    if (!won)
      throw new AppError("conflict", {
        detail:
          found === "key_works"
            ? "The buyer has another key by now. There is nothing to reinstate."
            : "No key is switched off by this chargeback any more.",
      });
    await markReviewed(tx, deliveryId);
  });
}
