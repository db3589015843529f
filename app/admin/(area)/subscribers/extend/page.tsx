import type { Metadata } from "next";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { counted, formatNumber } from "@/app/_components/figures";
import { Select } from "@/app/_components/form/select";
import { Link } from "@/app/_components/link";
import { PageHeader } from "@/app/_components/page-header";
import { Day } from "@/app/_components/timestamp";
import { ActionForm } from "@/app/admin/_components/allowed";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { readList } from "@/app/admin/_components/list/list-filter";
import { subscriberFilters } from "@/app/admin/(area)/subscribers/_components/subscriber-filters";
import { db } from "@/db/client";
import { countExtendable, countSubscribers, listSubscribers } from "@/db/queries/subscribers";
import { MOST_EXTENDED } from "@/lib/access/keys/extend-many";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import type { SearchParams } from "@/lib/wire/query-filter";
import { EXTEND_DAYS } from "./extend-days";

export const metadata: Metadata = { title: "Extend access" };

const LISTED = 12;

/** Moves the end of access of a whole list, after it was seen whom that concerns. */
export default async function ExtendMany({ searchParams }: { searchParams: SearchParams }) {
  const session = await requireAdminSession(adminPaths.subscribers());
  const { shown } = readList(subscriberFilters(), await searchParams);
  const { expiring: expiringDays, ...narrowed } = shown;
  const filter = { ...narrowed, expiringDays };
  const [n, total, rows, flash] = await Promise.all([
    countExtendable(db(), filter),
    countSubscribers(db(), filter),
    listSubscribers(db(), {
      filter: { ...filter, state: "active" },
      order: "expiry",
      limit: LISTED,
      offset: 0,
    }),
    consumeFlash(db(), session.sessionId),
  ]);
  const listed = rows.filter(({ expiresAt }) => expiresAt !== null);
  return (
    <>
      <PageHeader
        parent={{ href: adminPaths.subscribers(shown), label: "Subscribers" }}
        title="Extend access"
        lead={`${counted(n, "subscriber")} of the ${total} in the list have access that works and has an end. The others are left as they are.`}
      />
      <FlashNotice flash={flash} />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Card
          title={`Add days for ${counted(n, "subscriber")}`}
          lead={
            n > MOST_EXTENDED
              ? `At most ${formatNumber(MOST_EXTENDED)} are extended at once. Narrow the list first, such as by plan or by when access ends.`
              : "Each end moves by that many days. Each is recorded in the audit log."
          }
        >
          <ActionForm
            needs="key.extend_many"
            action={adminPaths.subscribersForm("extend-many")}
            className="space-y-4"
          >
            {Object.entries(shown).map(([name, value]) =>
              value === undefined ? null : <input key={name} type="hidden" name={name} value={value} />,
            )}
            <input type="hidden" name="shown" value={n} />
            <Select
              label="Days"
              name="days"
              options={EXTEND_DAYS.map((days) => ({ value: days, label: `${days} days` }))}
            />
            <Button type="submit" variant="primary" disabled={n === 0 || n > MOST_EXTENDED}>
              Extend {counted(n, "subscriber")}
            </Button>
          </ActionForm>
        </Card>
        <Card
          title="Who is extended"
          lead={n > listed.length ? `The ${listed.length} whose access ends first.` : undefined}
        >
          <ul className="divide-y text-sm">
            {listed.map((row) => (
              <li key={row.subscriptionId} className="flex justify-between gap-4 py-2">
                <Link href={adminPaths.subscriber(row.subscriptionId)} className="min-w-0 truncate link">
                  {row.userName}
                </Link>
                <span className="shrink-0 text-muted">
                  until <Day at={row.expiresAt} />
                </span>
              </li>
            ))}
          </ul>
        </Card>
      </div>
    </>
  );
}
