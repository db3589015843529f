import type { Transaction } from "@/db/client";
import { listPaymentDeliveryPayloads } from "@/db/queries/payment-deliveries";
import { decrypt } from "@/lib/runtime/secrets";
import type { PaymentAdapterName } from "@/lib/vocabulary";
import { adapterOf } from "./adapters/find-adapter";
import type { PaymentDelivery } from "./delivery";
import type { InboxAction } from "./outcome";

/** An earlier delivery as its adapter reads it, with its result. */
export interface StoredDelivery extends PaymentDelivery {
  id: number;
  action: InboxAction;
  /**
   * False for a delivery that is listed only because it is stored under the subscription's id, or is one of the
   * platform's unreviewed charges within a period.
   */
  isOfInvoice: boolean;
}

/** A stored delivery as its adapter reads it; null if it cannot be read. */
export function readStoredDelivery({
  adapter,
  receivedAt,
  payloadEncrypted,
}: {
  adapter: PaymentAdapterName;
  receivedAt: Date;
  payloadEncrypted: string;
}): PaymentDelivery | null {
  try {
    return adapterOf(adapter).read(Buffer.from(decrypt(payloadEncrypted), "base64"), receivedAt);
  } catch {
    // Not every signed body is a payment, and a body encrypted with another key cannot be decrypted.
    return null;
  }
}

/** The earlier deliveries of invoices, under any of their ids, and of a subscription, oldest first. */
export async function listStoredDeliveries(
  tx: Transaction,
  which: Parameters<typeof listPaymentDeliveryPayloads>[1],
): Promise<StoredDelivery[]> {
  const rows = await listPaymentDeliveryPayloads(tx, which);
  return rows.flatMap(({ id, action, isOfInvoice, ...row }) => {
    const read = readStoredDelivery(row);
    // The cast is right: the column holds only actions that this service wrote.
    return read ? [{ ...read, id, isTest: row.isTest, action: action as InboxAction, isOfInvoice }] : [];
  });
}
