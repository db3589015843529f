import { Download, UserPlus, Users } from "lucide-react";
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
import { PageHeader } from "@/app/_components/page-header";
import { Pagination } from "@/app/_components/pagination";
import { StatusPill } from "@/app/_components/status-pill";
import { RelativeTime, Timestamp } from "@/app/_components/timestamp";
import { db } from "@/db/client";
import { countSubscribers, listSubscribers, type SubscriberRow } from "@/db/queries/admin-subscribers";
import { eaStateAt } from "@/lib/account";
import { adminPaths } from "@/lib/admin/paths";
import { PageQuery, type SearchParams } from "@/lib/admin/search-params";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { heartbeats, laterOf } from "@/lib/heartbeat";
import { PLAN_TIERS } from "@/lib/plans";
import { AccessPill } from "../../_parts/access-pill";

export const metadata: Metadata = { title: "Subscribers" };

const PAGE_SIZE = 50;
const STATES = ["active", "expired", "revoked", "none"] as const;
const EA_STATES = ["online", "delayed", "offline", "never", "silent"] as const;
const ORDERS = ["newest", "expiry", "seen", "name"] as const;

const any = { value: "", label: "Any" };

/** Everybody with access, now or formerly. */
export default async function Subscribers({ searchParams }: { searchParams: SearchParams }) {
  await requireAdminSession(adminPaths.subscribers());
  const now = new Date();
  const query = new PageQuery(await searchParams);
  const shown = {
    q: query.text("q"),
    plan: query.oneOf("plan", PLAN_TIERS),
    state: query.oneOf("state", STATES),
    expiring: query.count("expiring", 365),
    ea: query.oneOf("ea", EA_STATES),
    order: query.oneOf("order", ORDERS),
  };
  const page = query.count("page", 1_000_000) ?? 1;
  const filter = {
    q: shown.q,
    plan: shown.plan,
    state: shown.state,
    expiringDays: shown.expiring,
    ea: shown.ea,
  };
  const order = shown.order ?? "newest";
  const [total, rows] = await Promise.all([
    countSubscribers(db(), filter),
    listSubscribers(db(), { filter, order, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE }),
  ]);
  const filtered = Object.entries(shown).some(([name, value]) => name !== "order" && value !== undefined);
  const sortBy = (wanted: (typeof ORDERS)[number]) => adminPaths.subscribers({ ...shown, order: wanted });

  const columns: Column<SubscriberRow>[] = [
    {
      key: "name",
      header: "Subscriber",
      primary: true,
      sortHref: sortBy("name"),
      sorted: order === "name" ? "ascending" : undefined,
      cell: (row) => (
        <span className="block min-w-0 sm:py-1.5">
          <Link href={adminPaths.subscriber(row.subscriptionId)} className="link">
            {row.userName}
          </Link>
          <span className="block max-w-72 truncate text-xs font-normal text-muted">
            {row.email ?? "no address"}
          </span>
        </span>
      ),
    },
    {
      key: "plan",
      header: "Plan",
      cell: (row) => (row.planTier ? <Badge>{row.planTier}</Badge> : <span className="text-faint">–</span>),
    },
    { key: "state", header: "Access", cell: (row) => <AccessPill state={row.state} /> },
    {
      key: "expires",
      header: "Until",
      sortHref: sortBy("expiry"),
      sorted: order === "expiry" ? "ascending" : undefined,
      cell: (row) =>
        row.keyId === null ? (
          <span className="text-faint">–</span>
        ) : (
          <Timestamp at={row.expiresAt} empty="no end" />
        ),
    },
    {
      key: "ea",
      header: "EA",
      sortHref: sortBy("seen"),
      sorted: order === "seen" ? "descending" : undefined,
      cell: (row) => {
        const seenAt = laterOf(row.lastSeenAt, heartbeats().newestOf(row.subscriptionId));
        return (
          <span className="inline-flex flex-wrap items-center justify-end gap-x-2 align-middle">
            <StatusPill state={eaStateAt(seenAt, now).status} />
            {seenAt && (
              <span className="text-xs text-faint">
                <RelativeTime at={seenAt} now={now} />
              </span>
            )}
          </span>
        );
      },
    },
    {
      key: "hint",
      header: "Key",
      cell: (row) => <span className="font-mono text-xs text-muted">{row.hint ?? "–"}</span>,
    },
    {
      key: "created",
      header: "Since",
      sortHref: sortBy("newest"),
      sorted: order === "newest" ? "descending" : undefined,
      cell: (row) => <Timestamp at={row.createdAt} />,
    },
  ];

  return (
    <>
      <PageHeader
        title="Subscribers"
        lead="Each with the newest of their keys and the last call of their trading client."
        actions={
          <>
            <LinkButton href={adminPaths.export("subscribers")} download>
              <Download aria-hidden="true" />
              CSV
            </LinkButton>
            <LinkButton href={adminPaths.newSubscriber()} variant="primary">
              <UserPlus aria-hidden="true" />
              New subscriber
            </LinkButton>
          </>
        }
      />
      <div className="mb-6">
        <FilterBar
          action={adminPaths.subscribers()}
          resetHref={filtered ? adminPaths.subscribers() : undefined}
          label="Filter subscribers"
        >
          <TextInput
            label="Search"
            name="q"
            type="search"
            placeholder="Name, address, note, key hint"
            defaultValue={shown.q}
            className="min-w-64 flex-1"
          />
          <Select
            label="Plan"
            name="plan"
            defaultValue={shown.plan ?? ""}
            options={[any, ...PLAN_TIERS.map((plan) => ({ value: plan, label: plan }))]}
          />
          <Select
            label="Access"
            name="state"
            defaultValue={shown.state ?? ""}
            options={[
              any,
              { value: "active", label: "Active" },
              { value: "expired", label: "Expired" },
              { value: "revoked", label: "Revoked" },
              { value: "none", label: "No key" },
            ]}
          />
          <Select
            label="Ends within"
            name="expiring"
            defaultValue={String(shown.expiring ?? "")}
            options={[
              any,
              { value: "3", label: "3 days" },
              { value: "7", label: "7 days" },
              { value: "30", label: "30 days" },
            ]}
          />
          <Select
            label="EA"
            name="ea"
            defaultValue={shown.ea ?? ""}
            options={[
              any,
              { value: "online", label: "Online" },
              { value: "silent", label: "Silent" },
              { value: "delayed", label: "Delayed" },
              { value: "offline", label: "Offline" },
              { value: "never", label: "Never seen" },
            ]}
          />
        </FilterBar>
      </div>
      <Card flush>
        <DataTable
          caption="Subscribers"
          columns={columns}
          rows={rows}
          rowKey={(row) => row.subscriptionId}
          empty={
            <EmptyState icon={Users} title={filtered ? "Nobody matches" : "No subscribers yet"}>
              {filtered
                ? "Change or clear the filter."
                : "They appear with their first payment, or when you create one."}
            </EmptyState>
          }
          footer={
            <Pagination
              page={page}
              pageSize={PAGE_SIZE}
              total={total}
              noun="subscriber"
              href={(to) => adminPaths.subscribers({ ...shown, page: to })}
            />
          }
        />
      </Card>
    </>
  );
}
