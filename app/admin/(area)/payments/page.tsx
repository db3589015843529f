import { Download, Inbox } from "lucide-react";
import type { Metadata } from "next";
import { Badge } from "@/app/_components/badge";
import { LinkButton } from "@/app/_components/button";
import type { Column } from "@/app/_components/data-table";
import { formatMoney } from "@/app/_components/money";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { Timestamp } from "@/app/_components/timestamp";
import { ActionLink } from "@/app/admin/_components/action-controls";
import { parseListQuery } from "@/app/admin/_components/list/list-filter";
import { PagedList } from "@/app/admin/_components/list/paged-list";
import {
  deliveryEffectLabel,
  FLAG_LABELS,
  PLATFORM_LABELS,
  REASON_LABELS,
} from "@/app/admin/_components/payment-labels";
import { TruncatedText } from "@/app/admin/_components/truncated-text";
import { db } from "@/db/client";
import { listSharedAddresses } from "@/db/queries/payment-deliveries";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { secretsOf } from "@/lib/payments/adapters/find-adapter";
import { type DeliveryRow, listDeliveries } from "@/lib/payments/inbox";
import { PAYMENT_ADAPTERS } from "@/lib/vocabulary";
import type { SearchParams } from "@/lib/wire/query-filter";
import { DELIVERY_FILTERS } from "./_components/delivery-filters";
import { SharedAddresses } from "./_components/shared-addresses";

export const metadata: Metadata = { title: "Payments" };

/** The inbox of the payment webhook. */
export default async function Payments({ searchParams }: { searchParams: SearchParams }) {
  await requireAdminSession(adminPaths.payments());
  const list = parseListQuery(DELIVERY_FILTERS, await searchParams);
  const [{ total, deliveries }, shared, secrets] = await Promise.all([
    listDeliveries(db(), {
      ...list.shown,
      ...list.page,
      flagged: list.shown.flagged === "yes" ? true : undefined,
    }),
    listSharedAddresses(db()),
    Promise.all(PAYMENT_ADAPTERS.map(secretsOf)),
  ]);
  return (
    <>
      <PageHeader
        title={list.shown.flagged === "yes" ? "Payments to review" : "Payments"}
        lead={
          list.shown.flagged === "yes"
            ? "Deliveries that the service could not decide. Open one to see what to decide; it leaves this list when you mark it as reviewed."
            : "Every delivery with a valid signature, what it did and why. Addresses are shown as four digits of their hash, as in the logs. You can search for an address."
        }
        actions={
          <>
            {list.shown.flagged === "yes" ? (
              <LinkButton href={adminPaths.payments()}>All payments</LinkButton>
            ) : (
              <LinkButton href={adminPaths.payments({ flagged: "yes" })}>Payments to review</LinkButton>
            )}
            <LinkButton href={adminPaths.paymentWeeks()}>Revenue by week</LinkButton>
            <LinkButton href={adminPaths.credits()}>Downtime credits</LinkButton>
            <LinkButton href={adminPaths.platforms()}>Platforms</LinkButton>
            <ActionLink needs="export" href={adminPaths.export("deliveries")} download>
              <Download aria-hidden="true" />
              CSV
            </ActionLink>
          </>
        }
      />
      {secrets.every(({ length }) => length === 0) && (
        <div className="mb-6">
          <Notice tone="warn" title="No payment platform is configured">
            Every delivery is refused with 403 until a platform has a secret:{" "}
            <a href={adminPaths.platforms()} className="link">
              enter one
            </a>
            .
          </Notice>
        </div>
      )}
      {shared.length > 0 && (
        <div className="mb-6">
          <SharedAddresses groups={shared} />
        </div>
      )}
      <PagedList
        noun="delivery"
        nouns="deliveries"
        caption="Deliveries, newest first"
        list={list}
        address={adminPaths.payments}
        columns={COLUMNS}
        rows={deliveries}
        rowKey={(row) => row.id}
        total={total}
        empty={{
          icon: Inbox,
          title: "No delivery yet",
          text: "Deliveries of a payment platform to /webhooks/payment appear here.",
        }}
      />
    </>
  );
}

const NO_CURRENCY = "The delivery names an amount and no currency.";

const COLUMNS: Column<DeliveryRow>[] = [
  {
    key: "received",
    header: "Received",
    primary: true,
    cell: (row) => (
      <>
        <a href={adminPaths.delivery(row.id)} className="link">
          <Timestamp at={row.receivedAt} />
        </a>
        {row.nReceived > 1 && (
          <span className="ml-1.5 font-normal text-muted" title={`Received ${row.nReceived} times`}>
            ×{row.nReceived}
          </span>
        )}
      </>
    ),
  },
  {
    key: "buyer",
    header: "Buyer, invoice",
    phone: "lower",
    cell: (row) => <BuyerAndInvoice row={row} />,
  },
  {
    key: "flags",
    header: "Flags",
    phone: "lower",
    cell: (row) =>
      row.flags.length === 0 ? (
        <span className="text-faint">–</span>
      ) : (
        <span className="inline-flex flex-wrap gap-1">
          {row.flags.map((flag) => (
            <Badge key={flag} tone={row.reviewedAt ? "neutral" : "warn"}>
              {FLAG_LABELS[flag]?.short ?? flag}
            </Badge>
          ))}
        </span>
      ),
  },
  {
    key: "event",
    header: "Event",
    phone: "lower",
    cell: (row) => (
      <span className="block">
        {row.event?.replace(/^payment\./, "") ?? "–"}
        {row.adapter !== "generic" && (
          <span className="block text-xs text-muted phone:hidden">{PLATFORM_LABELS[row.adapter]}</span>
        )}
      </span>
    ),
  },
  {
    key: "outcome",
    header: "Outcome",
    phone: "lower",
    cell: (row) => (
      <span className="sm:block sm:w-52 sm:whitespace-normal">
        {deliveryEffectLabel(row)}
        {row.planTier && row.effect !== "plan_changed" && `, ${row.planTier}`}
        {row.reason && <span className="text-muted">: {REASON_LABELS[row.reason] ?? row.reason}</span>}
      </span>
    ),
  },
  {
    key: "amount",
    header: "Amount",
    align: "right",
    phone: "upper",
    cell: (row) =>
      row.total === null ? (
        <span className="text-faint">–</span>
      ) : (
        <span className="whitespace-nowrap" title={row.total.currency === null ? NO_CURRENCY : undefined}>
          {formatMoney(row.total.amount, row.total.currency)}
          {row.total.currency === null && <span className="block text-xs text-muted">no currency</span>}
        </span>
      ),
  },
];

/** The buyer's name with the digits that replace the address in logs, and the invoice below. */
function BuyerAndInvoice({ row }: { row: DeliveryRow }) {
  const name = row.userName ?? row.buyerName;
  return (
    <span className="block">
      {row.subscriptionId === null ? (
        name && <TruncatedText text={name} className="text-muted sm:max-w-36" />
      ) : (
        <a href={adminPaths.subscriber(row.subscriptionId)} className="link">
          <TruncatedText text={name || `Subscriber ${row.subscriptionId}`} className="sm:max-w-36" />
        </a>
      )}
      {row.emailHash !== null && (
        <span className="block font-mono text-xs text-muted phone:hidden">email#{row.emailHash}</span>
      )}
      {row.invoiceId && (
        <span className="block font-mono text-xs phone:hidden">
          <TruncatedText text={row.invoiceId} className="text-muted sm:max-w-36" />
        </span>
      )}
    </span>
  );
}
