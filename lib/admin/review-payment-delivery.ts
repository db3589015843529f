import type { Database } from "@/db/client";
import { markSharedAddressesReviewed, setPaymentDeliveryReviewed } from "@/db/queries/payment-deliveries";
import { type Actor, recordAudit } from "@/lib/runtime/audit";

/** Marks a delivery as reviewed. A second call changes nothing. */
export async function markPaymentDeliveryReviewed(
  database: Database,
  deliveryId: number,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await setPaymentDeliveryReviewed(tx, deliveryId))) return;
    await recordAudit(tx, { actor, action: "payment.review", target: `delivery/${deliveryId}` });
  });
}

/** Marks the subscribers who share an address as reviewed. A second call changes nothing. */
export async function acknowledgeSharedAddresses(database: Database, actor: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const n = await markSharedAddressesReviewed(tx);
    if (n > 0)
      await recordAudit(tx, { actor, action: "payment.review_shared", target: "payments", details: { n } });
  });
}
