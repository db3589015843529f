import { and, eq, isNull, sql } from "drizzle-orm";
import type { Handle } from "../client";
import { invoices, paymentDeliveries } from "../schema";

/** One delivery with the state of its invoice, without its payload; null when there is none with this id. */
export async function findDelivery(handle: Handle, id: number) {
  const [row] = await handle
    .select({
      id: paymentDeliveries.id,
      event: paymentDeliveries.event,
      invoiceId: paymentDeliveries.invoiceId,
      emailHash: paymentDeliveries.emailHash,
      action: paymentDeliveries.action,
      reason: paymentDeliveries.reason,
      flags: paymentDeliveries.flags,
      answer: paymentDeliveries.answer,
      nReceived: paymentDeliveries.nReceived,
      receivedAt: paymentDeliveries.receivedAt,
      lastReceivedAt: paymentDeliveries.lastReceivedAt,
      reappliedAt: paymentDeliveries.reappliedAt,
      reviewedAt: paymentDeliveries.reviewedAt,
      subscriptionId: invoices.subscriptionId,
      keyId: invoices.keyId,
      invoiceState: invoices.state,
      planTier: invoices.planTier,
      productId: invoices.productId,
      paidAt: invoices.paidAt,
      endedAt: invoices.endedAt,
    })
    .from(paymentDeliveries)
    .leftJoin(invoices, eq(invoices.invoiceId, paymentDeliveries.invoiceId))
    .where(eq(paymentDeliveries.id, id));
  return row ?? null;
}

/** Notes that someone has looked at a delivery's flags. Returns whether it was the first time. */
export async function markReviewed(handle: Handle, id: number): Promise<boolean> {
  const rows = await handle
    .update(paymentDeliveries)
    .set({ reviewedAt: sql`now()` })
    .where(and(eq(paymentDeliveries.id, id), isNull(paymentDeliveries.reviewedAt)))
    .returning({ id: paymentDeliveries.id });
  return rows.length > 0;
}
