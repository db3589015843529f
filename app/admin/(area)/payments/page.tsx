import { Download, Inbox } from "lucide-react";
import type { Metadata } from "next";
import { Badge } from "@/app/_components/badge";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { FilterBar } from "@/app/_components/form/filter-bar";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";
import { Link } from "@/app/_components/link";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { Pagination } from "@/app/_components/pagination";
import { Timestamp } from "@/app/_components/timestamp";
import { db } from "@/db/client";
import { adminPaths } from "@/lib/admin/paths";
import { PageQuery, type SearchParams } from "@/lib/admin/search-params";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { env } from "@/lib/env";
import { type DeliveryRow, listDeliveries } from "@/lib/payments/inbox";
import { ACTION_WORDS, FLAG_WORDS, REASON_WORDS } from "../../_parts/payment-words";

export const metadata: Metadata = { title: "Payments" };

const PAGE_SIZE = 50;
const ACTIONS = ["api_key_created", "already_provisioned", "access_revoked", "ignored"] as const;

/** The inbox of the payment webhook. */
export default async function Payments({ searchParams }: { searchParams: SearchParams }) {
  await requireAdminSession(adminPaths.payments());
  const query = new PageQuery(await searchParams);
  const shown = {
    q: query.text("q"),
    action: query.oneOf("action", ACTIONS),
    flagged: query.oneOf("flagged", ["yes"]),
  };
  const page = query.count("page", 1_000_000) ?? 1;
  const { total, deliveries } = await listDeliveries(db(), {
    q: shown.q,
    action: shown.action,
    flagged: shown.flagged === "yes" ? true : undefined,
    limit: PAGE_SIZE,
    offset: (page - 1) * PAGE_SIZE,
  });
  const filtered = Object.values(shown).some((value) => value !== undefined);
  return (
    <>
      <PageHeader
        title="Payments"
        lead="Every delivery with a valid signature, what it did and why. Buyers appear as the four digits that stand for their address in the logs."
        actions={
          <LinkButton href={adminPaths.export("deliveries")} download>
            <Download aria-hidden="true" />
            CSV
          </LinkButton>
        }
      />
      {env().paymentWebhookSecret === null && (
        <div className="mb-6">
          <Notice tone="warn" title="No webhook secret is configured">
            Every delivery is refused with 403 until PAYMENT_WEBHOOK_SECRET is set.
          </Notice>
        </div>
      )}
      <div className="mb-6">
        <FilterBar
          action={adminPaths.payments()}
          resetHref={filtered ? adminPaths.payments() : undefined}
          label="Filter deliveries"
        >
          <TextInput
            label="Search"
            name="q"
            type="search"
            placeholder="Invoice id or email#ab12"
            defaultValue={shown.q}
            className="min-w-64"
          />
          <Select
            label="Outcome"
            name="action"
            defaultValue={shown.action ?? ""}
            options={[
              { value: "", label: "Any" },
              ...ACTIONS.map((action) => ({ value: action, label: ACTION_WORDS[action] ?? action })),
            ]}
          />
          <Select
            label="Flags"
            name="flagged"
            defaultValue={shown.flagged ?? ""}
            options={[
              { value: "", label: "Any" },
              { value: "yes", label: "To look at" },
            ]}
          />
        </FilterBar>
      </div>
      <Card flush>
        <DataTable
          caption="Deliveries, newest first"
          columns={COLUMNS}
          rows={deliveries}
          rowKey={(row) => row.id}
          empty={
            <EmptyState icon={Inbox} title={filtered ? "Nothing matches" : "No delivery yet"}>
              {filtered
                ? "Change or clear the filter."
                : "The payment platform posts to /webhooks/payment; each delivery appears here."}
            </EmptyState>
          }
          footer={
            <Pagination
              page={page}
              pageSize={PAGE_SIZE}
              total={total}
              noun="delivery"
              nouns="deliveries"
              href={(to) => adminPaths.payments({ ...shown, page: to })}
            />
          }
        />
      </Card>
    </>
  );
}

const COLUMNS: Column<DeliveryRow>[] = [
  {
    key: "received",
    header: "Received",
    primary: true,
    cell: (row) => (
      <Link href={adminPaths.delivery(row.id)} className="link">
        <Timestamp at={row.receivedAt} />
      </Link>
    ),
  },
  { key: "event", header: "Event", cell: (row) => row.event?.replace(/^payment\./, "") ?? "–" },
  {
    key: "outcome",
    header: "Outcome",
    cell: (row) => (
      <span>
        {ACTION_WORDS[row.action] ?? row.action}
        {row.reason && <span className="text-muted">: {REASON_WORDS[row.reason] ?? row.reason}</span>}
      </span>
    ),
  },
  {
    key: "flags",
    header: "Flags",
    cell: (row) =>
      row.flags.length === 0 ? (
        <span className="text-faint">–</span>
      ) : (
        <span className="inline-flex flex-wrap gap-1 phone:justify-end">
          {row.flags.map((flag) => (
            <Badge key={flag} tone={row.reviewedAt ? "neutral" : "warn"}>
              {FLAG_WORDS[flag]?.short ?? flag}
            </Badge>
          ))}
        </span>
      ),
  },
  {
    key: "buyer",
    header: "Buyer",
    cell: (row) =>
      row.subscriptionId === null ? (
        <span className="font-mono text-xs text-muted">{row.emailHash ? `email#${row.emailHash}` : "–"}</span>
      ) : (
        <Link href={adminPaths.subscriber(row.subscriptionId)} className="link font-mono text-xs">
          {row.emailHash ? `email#${row.emailHash}` : `subscriber ${row.subscriptionId}`}
        </Link>
      ),
  },
  {
    key: "invoice",
    header: "Invoice",
    cell: (row) => <span className="font-mono text-xs break-all text-muted">{row.invoiceId ?? "–"}</span>,
  },
  { key: "n", header: "Times", align: "right", cell: (row) => row.nReceived },
];
