import type { DatabaseHandle } from "@/db/client";
import { listInvoices, type PaidInvoice } from "@/db/queries/payments";
import { type CsvColumns, type CsvTarget, csvNumber, csvOf, csvText, csvTime } from "@/lib/wire/csv";

const COLUMNS: CsvColumns<PaidInvoice> = {
  invoiceId: ["invoice_id", csvText],
  paidAt: ["paid_at", csvTime],
  productId: ["product_id", csvText],
  planTier: ["plan_tier", csvText],
  amount: ["amount", csvNumber],
  currency: ["currency", csvText],
  effect: ["effect", csvText],
  expiresAt: ["access_until", csvTime],
  state: ["state", csvText],
  endedAt: ["ended_at", csvTime],
  endedBy: ["ended_by", csvText],
  refundedAmount: ["refunded_amount", csvNumber],
};

/** The paid invoices of a subscription as CSV, newest first, with the effect of each. */
export function csvOfPayments(
  handle: DatabaseHandle,
  subscriptionId: number,
  reader: CsvTarget,
): AsyncGenerator<string, void> {
  let isRead = false;
  return csvOf(
    COLUMNS,
    async () => {
      if (isRead) return [];
      isRead = true;
      return listInvoices(handle, subscriptionId);
    },
    reader,
  );
}
