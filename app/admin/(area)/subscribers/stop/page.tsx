import type { Metadata } from "next";
import { Card } from "@/app/_components/card";
import { EmptyState } from "@/app/_components/empty-state";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { ActionDialog } from "@/app/admin/_components/action-controls";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { isFiltered, parseListQuery } from "@/app/admin/_components/list/list-filter";
import { AccessPill } from "@/app/admin/(area)/subscribers/_components/access-pill";
import {
  subscriberListFilters,
  subscriberListParams,
  toSubscriberFilter,
} from "@/app/admin/(area)/subscribers/_components/subscriber-filters";
import { TryOutBadge } from "@/app/admin/(area)/subscribers/_components/try-out-badge";
import { db } from "@/db/client";
import { countBulkActionTargets } from "@/db/queries/bulk-actions";
import { countSubscribers, listSubscribers } from "@/db/queries/subscribers";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import type { BulkKeyAction } from "@/lib/vocabulary";
import type { SearchParams } from "@/lib/wire/query-filter";

export const metadata: Metadata = { title: "Suspend, revoke or reinstate" };

const LISTED = 12;

/** Forms that suspend, revoke or reinstate the keys of a list of subscribers, with the list of those affected. */
export default async function StopMany({ searchParams }: { searchParams: SearchParams }) {
  const session = await requireAdminSession(adminPaths.subscribers());
  const { shown, filters } = parseListQuery(subscriberListFilters(), await searchParams);
  const filter = toSubscriberFilter(shown);
  const [stoppable, total, rows, flash] = await Promise.all([
    countBulkActionTargets(db(), filter),
    countSubscribers(db(), filter),
    listSubscribers(db(), { filter, order: "newest", limit: LISTED, offset: 0 }),
    consumeFlash(db(), session.sessionId),
  ]);
  const fields = Object.fromEntries(
    Object.entries(subscriberListParams(shown)).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );
  return (
    <>
      <PageHeader
        parent={{
          href: adminPaths.subscribers({ ...subscriberListParams(shown), ids: undefined }),
          label: "Subscribers",
        }}
        title="Suspend, revoke or reinstate"
        lead={`${countWithNoun(total, "subscriber")} selected. An action changes only the keys it applies to.`}
      />
      <FlashNotice flash={flash} />
      {total === 0 ? (
        <Card>
          <EmptyState title="No subscribers selected">Select subscribers in the list first.</EmptyState>
        </Card>
      ) : (
        <div className="space-y-6">
          {!isFiltered(filters, shown) && shown.ids === undefined && (
            <Notice tone="warn" title="All subscribers are selected">
              Go back and filter the list, unless you mean all of them.
            </Notice>
          )}
          <div className="grid items-start gap-6 lg:grid-cols-2">
            <div className="space-y-6">
              <Act
                act="suspend"
                n={stoppable.suspend}
                fields={fields}
                title="Suspend"
                text="The keys stop working at once, until you reinstate them. Subscribers with an address get a mail."
              />
              <Act
                act="revoke"
                n={stoppable.revoke}
                fields={fields}
                title="Revoke"
                text="The keys stop working for good, including expired and suspended ones. To come back, a subscriber needs a new key. No mail is sent."
              />
              <Act
                act="reinstate"
                n={stoppable.reinstate}
                fields={fields}
                title="Reinstate"
                text="Suspended keys work again at once. Their end dates do not change. Subscribers with an address get a mail."
              />
            </div>
            <Card
              title="Subscribers"
              lead={total > rows.length ? `The newest ${rows.length} of ${formatNumber(total)}.` : undefined}
            >
              <ul className="divide-y text-sm">
                {rows.map((row) => (
                  <li key={row.subscriptionId} className="flex items-center justify-between gap-4 py-2">
                    <a href={adminPaths.subscriber(row.subscriptionId)} className="min-w-0 truncate link">
                      {row.userName}
                    </a>
                    <span className="inline-flex shrink-0 items-center gap-2">
                      <TryOutBadge delayCandles={row.delayCandles} />
                      <AccessPill state={row.state} />
                    </span>
                  </li>
                ))}
              </ul>
            </Card>
          </div>
        </div>
      )}
    </>
  );
}

function Act({
  act,
  n,
  fields,
  title,
  text,
}: {
  act: BulkKeyAction;
  n: number;
  fields: Record<string, string>;
  title: string;
  text: string;
}) {
  const keys = countWithNoun(n, "key");
  return (
    <Card title={`${title} ${keys}`} lead={text}>
      {n === 0 ? (
        <p className="text-sm text-muted">No key in this list.</p>
      ) : (
        <ActionDialog
          needs="key.stop_many"
          trigger={`${title} ${keys}`}
          title={`${title} ${keys}?`}
          consequence={text}
          confirmLabel={`${title} now`}
          {...(act === "reinstate" ? {} : { typedWord: act.toUpperCase() })}
          action={adminPaths.subscribersForm("stop-many")}
          fields={{ ...fields, act, shown: String(n) }}
        />
      )}
    </Card>
  );
}
