import { Badge } from "@/app/_components/badge";
import type { Column } from "@/app/_components/data-table";
import { formatMoney } from "@/app/_components/money";
import { formatDay } from "@/app/_components/times";
import { PortalTime } from "@/app/portal/_components/portal-time";
import type { PaidInvoice } from "@/db/queries/payments";
import { planTitle } from "@/lib/access/plans";
import { clockOffsetLabel, type WallClock } from "@/lib/market/clock";
import type { PaymentEffect, RevokingEvent } from "@/lib/vocabulary";

const EFFECT_LABELS: Record<PaymentEffect, string> = {
  created: "Opened access",
  renewed: "Moved the end of access",
  revived: "Opened access again",
};

const END_LABELS: Record<RevokingEvent, string> & Record<string, string> = {
  "payment.invoice_canceled": "cancelled",
  "payment.invoice_refunded": "refunded",
  "payment.invoice_chargeback": "charged back",
};

const NOTHING = <span className="text-faint">–</span>;

/** The columns of the list of invoices. */
export function paymentColumns({ clock, now }: { clock: WallClock; now: Date }): Column<PaidInvoice>[] {
  const unit = clockOffsetLabel(clock, now);
  return [
    {
      key: "paid",
      header: "Paid",
      unit,
      primary: true,
      cell: (row) => <PortalTime at={row.paidAt} clock={clock} />,
    },
    {
      key: "plan",
      header: "Plan",
      cell: (row) => (row.planTier ? <Badge tone="accent">{planTitle(row.planTier)}</Badge> : NOTHING),
    },
    {
      key: "product",
      header: "Product",
      cell: (row) => (row.productId ? <span className="font-mono break-all">{row.productId}</span> : NOTHING),
    },
    {
      key: "amount",
      header: "Amount",
      align: "right",
      cell: (row) => (row.amount === null ? NOTHING : formatMoney(row.amount, row.currency)),
    },
    { key: "effect", header: "Effect", cell: (row) => <Effect row={row} /> },
    {
      key: "until",
      header: "Access until",
      unit,
      cell: (row) =>
        row.state === "ended" ? NOTHING : <PortalTime at={row.expiresAt} clock={clock} empty="no end date" />,
    },
  ];
}

function Effect({ row }: { row: PaidInvoice }) {
  const { effect, endedAt, endedBy, refundedAmount, currency } = row;
  const done = effect ? EFFECT_LABELS[effect] : "–";
  if (row.state === "ended")
    return `${done}; ${END_LABELS[endedBy ?? ""] ?? "ended"}${endedAt ? ` on ${formatDay(endedAt)}` : ""}`;
  return refundedAmount === null ? done : `${done}; ${formatMoney(refundedAmount, currency)} refunded`;
}
