import { randomUUID } from "node:crypto";
import { CalendarPlus, CirclePause, Download, UserPlus, Users } from "lucide-react";
import type { Metadata } from "next";
import { Badge } from "@/app/_components/badge";
import { Button } from "@/app/_components/button";
import type { Column } from "@/app/_components/data-table";
import { PageHeader } from "@/app/_components/page-header";
import { StatusPill } from "@/app/_components/status-pill";
import { RelativeTime, UtcDay } from "@/app/_components/timestamp";
import { ActionLink, findActionDenialReason } from "@/app/admin/_components/action-controls";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { hiddenFilter, parseListQuery } from "@/app/admin/_components/list/list-filter";
import { PagedList } from "@/app/admin/_components/list/paged-list";
import { TruncatedText } from "@/app/admin/_components/truncated-text";
import { db } from "@/db/client";
import { countSubscribers, listSubscribers, type SubscriberRow } from "@/db/queries/subscribers";
import { planTitle } from "@/lib/access/plans";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { eaStateAt } from "@/lib/subscribers/ea-state";
import { newestUnwrittenCalls } from "@/lib/subscribers/heartbeat";
import { laterInstant } from "@/lib/time";
import type { SearchParams } from "@/lib/wire/query-filter";
import { AccessPill } from "./_components/access-pill";
import { SelectPageCheckbox } from "./_components/select-page-checkbox";
import {
  subscriberListFilters,
  subscriberListParams,
  toSubscriberFilter,
} from "./_components/subscriber-filters";
import { TryOutBadge } from "./_components/try-out-badge";

export const metadata: Metadata = { title: "Subscribers" };

const ORDERS = ["newest", "expiry", "seen", "name"] as const;

const filters = () => ({ ...subscriberListFilters(), order: hiddenFilter(ORDERS) });

/** All subscribers, present and former. */
export default async function Subscribers({ searchParams }: { searchParams: SearchParams }) {
  const session = await requireAdminSession(adminPaths.subscribers());
  const now = new Date();
  const list = parseListQuery(filters(), await searchParams);
  const { order = "newest" } = list.shown;
  const filter = toSubscriberFilter(list.shown);
  const listed = subscriberListParams(list.shown);
  const [total, rows, flash] = await Promise.all([
    countSubscribers(db(), filter),
    listSubscribers(db(), { filter, order, ...list.page }),
    consumeFlash(db(), session.sessionId),
  ]);
  const unwritten = await newestUnwrittenCalls(rows.map(({ subscriptionId }) => subscriptionId));
  const mayTick = (await findActionDenialReason("key.stop_many")) === null;
  const sortBy = (wanted: (typeof ORDERS)[number]) =>
    adminPaths.subscribers({ ...list.shown, order: wanted });

  const columns: Column<SubscriberRow>[] = [
    {
      key: "name",
      header: "Subscriber",
      primary: true,
      sortHref: sortBy("name"),
      sorted: order === "name" ? "ascending" : undefined,
      cell: (row) => (
        <span className="flex min-w-0 items-center gap-3 sm:py-1.5">
          {mayTick && (
            <input
              type="checkbox"
              name="ids"
              value={row.subscriptionId}
              aria-label={`Select ${row.userName}`}
              className="size-4 shrink-0"
            />
          )}
          <span className="block min-w-0">
            <span className="flex flex-wrap items-center gap-x-2 sm:max-w-56">
              <a href={adminPaths.subscriber(row.subscriptionId)} className="link min-w-0 max-w-full">
                <TruncatedText text={row.userName} className="sm:max-w-56" />
              </a>
              <TryOutBadge delayCandles={row.delayCandles} />
            </span>
            <span className="block text-xs font-normal text-muted phone:whitespace-normal">
              <TruncatedText text={row.email ?? "no address"} className="sm:max-w-56" />
            </span>
          </span>
        </span>
      ),
    },
    {
      key: "plan",
      header: "Plan",
      phone: "upper",
      cell: (row) =>
        row.planTier ? <Badge>{planTitle(row.planTier)}</Badge> : <span className="text-faint">–</span>,
    },
    { key: "state", header: "Access", phone: "upper", cell: (row) => <AccessPill state={row.state} /> },
    {
      key: "expires",
      header: "Until",
      unit: "UTC",
      phone: "lower",
      sortHref: sortBy("expiry"),
      sorted: order === "expiry" ? "ascending" : undefined,
      cell: (row) =>
        row.keyId === null || row.state === "revoked" ? (
          <span className="text-faint">–</span>
        ) : (
          <UtcDay at={row.expiresAt} empty="no end date" />
        ),
    },
    {
      key: "ea",
      header: "EA",
      phone: "lower",
      sortHref: sortBy("seen"),
      sorted: order === "seen" ? "descending" : undefined,
      cell: (row) => {
        const seenAt = laterInstant(row.lastSeenAt, unwritten.get(row.subscriptionId) ?? null);
        return (
          <span className="inline-flex items-center gap-x-2 align-middle">
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
      cell: (row) => <UtcDay at={row.createdAt} />,
    },
  ];

  return (
    <>
      <PageHeader
        title="Subscribers"
        lead="Newest key and last EA call of each subscriber."
        actions={
          <>
            <ActionLink needs="export" href={adminPaths.export("subscribers")} download>
              <Download aria-hidden="true" />
              CSV
            </ActionLink>
            <ActionLink
              needs="key.extend_many"
              href={adminPaths.extendMany({ ...listed, form: randomUUID() })}
            >
              <CalendarPlus aria-hidden="true" />
              Extend list
            </ActionLink>
            <ActionLink needs="key.stop_many" href={adminPaths.stopMany(listed)}>
              <CirclePause aria-hidden="true" />
              Suspend, revoke, reinstate
            </ActionLink>
            <ActionLink needs="subscriber.create" href={adminPaths.newSubscriber()} variant="primary">
              <UserPlus aria-hidden="true" />
              New subscriber
            </ActionLink>
          </>
        }
      />
      <FlashNotice flash={flash} />
      <PagedList
        noun="subscriber"
        caption="Subscribers"
        list={list}
        address={adminPaths.subscribers}
        columns={columns}
        rows={rows}
        rowKey={(row) => row.subscriptionId}
        total={total}
        selection={
          mayTick && (
            <>
              <SelectPageCheckbox />
              <Button
                type="submit"
                size="small"
                formAction={adminPaths.extendMany()}
                name="form"
                value={randomUUID()}
              >
                Extend selected
              </Button>
              <Button type="submit" size="small" formAction={adminPaths.stopMany()}>
                Suspend, revoke or reinstate selected
              </Button>
            </>
          )
        }
        empty={{
          icon: Users,
          title: "No subscribers yet",
          text: "They appear with their first payment, or when you create one.",
        }}
      />
    </>
  );
}
