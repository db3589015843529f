import { randomUUID } from "node:crypto";
import type { Metadata } from "next";
import { z } from "zod";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { EmptyState } from "@/app/_components/empty-state";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { Select } from "@/app/_components/form/select";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { formatSpan } from "@/app/_components/times";
import { Timestamp, UtcDay } from "@/app/_components/timestamp";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { parseListQuery } from "@/app/admin/_components/list/list-filter";
import {
  subscriberListFilters,
  subscriberListParams,
  toSubscriberFilter,
} from "@/app/admin/(area)/subscribers/_components/subscriber-filters";
import { TryOutBadge } from "@/app/admin/(area)/subscribers/_components/try-out-badge";
import { db } from "@/db/client";
import { findBulkExtensionByForm, listBulkExtensions } from "@/db/queries/bulk-extensions";
import { countRecentCredits, RECENT_CREDIT_DAYS, type RecentCredits } from "@/db/queries/credits";
import { countExtendable, countSubscribers, listSubscribers } from "@/db/queries/subscribers";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { settingInForce } from "@/lib/settings/registry";
import type { SearchParams } from "@/lib/wire/query-filter";
import { ExtendedBefore, extensionProgress } from "./_components/extended-before";
import { EXTENSION_DAY_CHOICES } from "./extend-days";

export const metadata: Metadata = { title: "Extend access" };

const LISTED = 12;
const EARLIER = 5;

/** The form that extends the access of a list of subscribers, with the list of those affected. */
export default async function ExtendMany({ searchParams }: { searchParams: SearchParams }) {
  const session = await requireAdminSession(adminPaths.subscribers());
  const query = await searchParams;
  const { shown } = parseListQuery(subscriberListFilters(), query);
  // The id of the form is in the address: reopened by Back, the page has the form that was sent before.
  const formId = z
    .uuid()
    .catch(() => randomUUID())
    .parse(query.form);
  const filter = toSubscriberFilter(shown);
  const [n, total, rows, earlier, credits, { enabled: givesCredits }, done, flash] = await Promise.all([
    countExtendable(db(), filter),
    countSubscribers(db(), filter),
    listSubscribers(db(), {
      filter: { ...filter, state: "active" },
      order: "expiry",
      limit: LISTED,
      offset: 0,
    }),
    listBulkExtensions(db(), EARLIER),
    countRecentCredits(db(), filter),
    settingInForce(db(), "downtime_credit"),
    findBulkExtensionByForm(db(), formId),
    consumeFlash(db(), session.sessionId),
  ]);
  const listed = rows.filter(({ expiresAt }) => expiresAt !== null);
  return (
    <>
      <PageHeader
        parent={{
          href: adminPaths.subscribers({ ...subscriberListParams(shown), ids: undefined }),
          label: "Subscribers",
        }}
        title="Extend access"
        lead={`Subscribers in this list with active access and an end date: ${formatNumber(n)} of ${formatNumber(total)}. The others stay as they are.`}
      />
      <FlashNotice flash={flash} />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        {done !== null ? (
          <ExtendedBefore
            done={done}
            again={adminPaths.extendMany({ ...subscriberListParams(shown), form: randomUUID() })}
          />
        ) : n === 0 ? (
          <Card>
            <EmptyState title="No subscribers to extend">
              No subscriber in this list has active access with an end date.
            </EmptyState>
          </Card>
        ) : (
          <>
            <Card
              title="Add days"
              lead={`The access of ${countWithNoun(n, "subscriber")} ends that many days later. Each change is in the audit log.`}
            >
              <DowntimeCreditNotice credits={credits} givesCredits={givesCredits} />
              <ActionForm
                needs="key.extend_many"
                action={adminPaths.subscribersForm("extend-many")}
                className="space-y-4"
              >
                {Object.entries(subscriberListParams(shown)).map(([name, value]) =>
                  value === undefined ? null : <input key={name} type="hidden" name={name} value={value} />,
                )}
                <input type="hidden" name="shown" value={n} />
                <input type="hidden" name="form_id" value={formId} />
                <Select
                  label="Days"
                  name="days"
                  options={EXTENSION_DAY_CHOICES.map((days) => ({
                    value: days,
                    label: countWithNoun(Number(days), "day"),
                  }))}
                />
                <Button type="submit" variant="primary">
                  Extend {countWithNoun(n, "subscriber")}
                </Button>
              </ActionForm>
            </Card>
            <Card
              title="Subscribers"
              lead={n > listed.length ? `The ${listed.length} whose access ends first.` : undefined}
            >
              <ul className="divide-y text-sm">
                {listed.map((row) => (
                  <li key={row.subscriptionId} className="flex justify-between gap-4 py-2">
                    <a href={adminPaths.subscriber(row.subscriptionId)} className="min-w-0 truncate link">
                      {row.userName}
                    </a>
                    <span className="shrink-0 text-muted">
                      <TryOutBadge delayCandles={row.delayCandles} /> until <UtcDay at={row.expiresAt} />
                    </span>
                  </li>
                ))}
              </ul>
            </Card>
          </>
        )}
        {earlier.length > 0 && (
          <Card title="Recent extensions">
            <ul className="divide-y text-sm">
              {earlier.map((each) => (
                <li key={each.id} className="flex justify-between gap-4 py-2">
                  <span>{extensionProgress(each)}</span>
                  <span className="shrink-0 text-muted">
                    <Timestamp at={each.createdAt} />
                  </span>
                </li>
              ))}
            </ul>
          </Card>
        )}
      </div>
    </>
  );
}

/** How many of these subscribers get a downtime credit as well, so that no outage is compensated twice. */
function DowntimeCreditNotice({
  credits: { nProposed, nGranted, longestMinutes },
  givesCredits,
}: {
  credits: RecentCredits;
  givesCredits: boolean;
}) {
  const link = (
    <a href={adminPaths.credits()} className="link">
      Downtime credits
    </a>
  );
  if (nProposed + nGranted === 0)
    return (
      <p className="mb-4 text-sm text-muted">
        {link}{" "}
        {givesCredits
          ? "for an outage are also proposed after its month has ended."
          : "are off in the settings."}
      </p>
    );
  const counts = [
    nProposed > 0 && `Proposed for ${countWithNoun(nProposed, "subscriber")}.`,
    nGranted > 0 &&
      `Given to ${countWithNoun(nGranted, "subscriber")} in the last ${RECENT_CREDIT_DAYS} days.`,
    `The longest is ${formatSpan(longestMinutes)}.`,
    nProposed > 0
      ? "If you extend for the same outage, decline the proposed ones."
      : "Do not extend again for the same outage.",
  ];
  return (
    <div className="mb-4">
      <Notice tone="warn" title="These subscribers have downtime credits">
        {counts.filter(Boolean).join(" ")} See {link}.
      </Notice>
    </div>
  );
}
