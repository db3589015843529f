import { Download, UserPlus, Users } from "lucide-react";
import type { Metadata } from "next";
import { Badge } from "@/app/_components/badge";
import { LinkButton } from "@/app/_components/button";
import type { Column } from "@/app/_components/data-table";
import { Link } from "@/app/_components/link";
import { PageHeader } from "@/app/_components/page-header";
import { StatusPill } from "@/app/_components/status-pill";
import { Day, RelativeTime } from "@/app/_components/timestamp";
import { AccessPill } from "@/app/admin/_parts/access-pill";
import { CutText } from "@/app/admin/_parts/cut-text";
import type { ListFilter } from "@/app/admin/_parts/list/list-filters";
import { PagedList } from "@/app/admin/_parts/list/paged-list";
import { db } from "@/db/client";
import { countSubscribers, listSubscribers, type SubscriberRow } from "@/db/queries/subscribers";
import { PageQuery } from "@/lib/admin/search-params";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { eaStateAt } from "@/lib/subscribers/ea-state";
import { heartbeats } from "@/lib/subscribers/heartbeat";
import { laterOf } from "@/lib/time";
import { PLAN_TIERS } from "@/lib/vocabulary";
import type { SearchParams } from "@/lib/wire/query-filter";

export const metadata: Metadata = { title: "Subscribers" };

const STATES = ["active", "expired", "revoked", "none"] as const;
const EA_STATES = ["online", "delayed", "offline", "never", "silent"] as const;
const ORDERS = ["newest", "expiry", "seen", "name"] as const;

const FILTERS: ListFilter[] = [
  { name: "q", label: "Search", placeholder: "Name, address, note, key hint" },
  { name: "plan", label: "Plan", options: PLAN_TIERS.map((plan) => ({ value: plan, label: plan })) },
  {
    name: "state",
    label: "Access",
    options: [
      { value: "active", label: "Active" },
      { value: "expired", label: "Expired" },
      { value: "revoked", label: "Revoked" },
      { value: "none", label: "No key" },
    ],
  },
  {
    name: "expiring",
    label: "Ends within",
    options: [
      { value: "3", label: "3 days" },
      { value: "7", label: "7 days" },
      { value: "30", label: "30 days" },
    ],
  },
  {
    name: "ea",
    label: "EA",
    options: [
      { value: "online", label: "Online" },
      { value: "silent", label: "Silent" },
      { value: "delayed", label: "Delayed" },
      { value: "offline", label: "Offline" },
      { value: "never", label: "Never seen" },
    ],
  },
];

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
  const page = query.page();
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
    listSubscribers(db(), { filter, order, limit: page.limit, offset: page.offset }),
  ]);
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
            <CutText text={row.userName} className="sm:max-w-56" />
          </Link>
          <span className="block text-xs font-normal text-muted">
            <CutText text={row.email ?? "no address"} className="sm:max-w-56" />
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
      unit: "UTC",
      sortHref: sortBy("expiry"),
      sorted: order === "expiry" ? "ascending" : undefined,
      cell: (row) =>
        row.keyId === null ? (
          <span className="text-faint">–</span>
        ) : (
          <Day at={row.expiresAt} empty="no end" />
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
      unit: "UTC",
      sortHref: sortBy("newest"),
      sorted: order === "newest" ? "descending" : undefined,
      cell: (row) => <Day at={row.createdAt} />,
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
      <PagedList
        noun="subscriber"
        caption="Subscribers"
        filters={FILTERS}
        shown={shown}
        address={adminPaths.subscribers}
        columns={columns}
        rows={rows}
        rowKey={(row) => row.subscriptionId}
        page={page}
        total={total}
        empty={{
          icon: Users,
          title: "No subscribers yet",
          text: "They appear with their first payment, or when you create one.",
        }}
      />
    </>
  );
}
