import { Hourglass } from "lucide-react";
import type { Metadata } from "next";
import { Badge, type Tone } from "@/app/_components/badge";
import { classNames } from "@/app/_components/class-names";
import type { Column } from "@/app/_components/data-table";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { PageHeader } from "@/app/_components/page-header";
import { formatDay, formatSpan } from "@/app/_components/times";
import { Timestamp } from "@/app/_components/timestamp";
import { ActionDialog } from "@/app/admin/_components/action-controls";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { parseListQuery, selectFilter } from "@/app/admin/_components/list/list-filter";
import { PagedList } from "@/app/admin/_components/list/paged-list";
import { TruncatedText } from "@/app/admin/_components/truncated-text";
import { db } from "@/db/client";
import { type CreditRow, countCredits, listCredits } from "@/db/queries/credits";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import type { DowntimeCreditState } from "@/lib/vocabulary";
import type { SearchParams } from "@/lib/wire/query-filter";
import { DECLINE_ALL_WORD } from "./decline/decline-all-word";

export const metadata: Metadata = { title: "Downtime credits" };

/** Downtime credits in every state, from proposed to granted, declined or void. */
export default async function Credits({ searchParams }: { searchParams: SearchParams }) {
  const session = await requireAdminSession(adminPaths.credits());
  const list = parseListQuery(FILTERS, await searchParams);
  const query = { ...list.shown, ...list.page };
  const [flash, total, rows, nProposed] = await Promise.all([
    consumeFlash(db(), session.sessionId),
    countCredits(db(), query),
    listCredits(db(), query),
    countCredits(db(), { state: "proposed" }),
  ]);
  return (
    <>
      <PageHeader
        parent={{ href: adminPaths.payments(), label: "Payments" }}
        title="Downtime credits"
        lead="Proposed after each month: the market time in which the service was down or slots of the plan were stale, if it is over the limit in the settings. Each credit is given at the time shown, unless you decline it before."
        actions={
          nProposed > 0 && (
            <ActionDialog
              needs="credit.decline_many"
              trigger={`Decline all ${formatNumber(nProposed)} proposed`}
              title={`Decline ${countWithNoun(nProposed, "proposed credit")}?`}
              consequence="No end of access changes, and no mail is sent. These months are not proposed again."
              confirmLabel="Decline them now"
              typedWord={DECLINE_ALL_WORD}
              action={adminPaths.declineCredits()}
              fields={{ shown: String(nProposed) }}
            />
          )
        }
      />
      <FlashNotice flash={flash} />
      <PagedList
        noun="credit"
        nouns="credits"
        caption="Credits, newest month first"
        list={list}
        address={adminPaths.credits}
        columns={COLUMNS}
        rows={rows}
        rowKey={(row) => row.id}
        total={total}
        empty={{
          icon: Hourglass,
          title: "No credit yet",
          text: "There are credits only after a month with long downtime.",
        }}
      />
    </>
  );
}

const STATES: Record<DowntimeCreditState, { word: string; tone: Tone }> = {
  proposed: { word: "proposed", tone: "warn" },
  granted: { word: "given", tone: "up" },
  declined: { word: "declined", tone: "neutral" },
  void: { word: "no key in force", tone: "neutral" },
};

const FILTERS = {
  state: selectFilter("State", {
    proposed: STATES.proposed.word,
    granted: STATES.granted.word,
    declined: STATES.declined.word,
    void: STATES.void.word,
  } satisfies Record<DowntimeCreditState, string>),
};

const COLUMNS: Column<CreditRow>[] = [
  {
    key: "subscriber",
    header: "Subscriber",
    primary: true,
    cell: (row) => (
      <span className="block">
        <a href={adminPaths.subscriber(row.subscriptionId)} className="link">
          <TruncatedText text={row.userName} className="sm:max-w-56" />
        </a>
        {row.extendedMinutes !== null && row.extendedAt !== null && (
          <span
            className={classNames("block text-xs", row.state === "proposed" ? "text-warn" : "text-muted")}
          >
            extended by {formatSpan(row.extendedMinutes)} since the outage, {formatDay(row.extendedAt)}
          </span>
        )}
      </span>
    ),
  },
  { key: "month", header: "Month", cell: (row) => row.month.slice(0, 7) },
  {
    key: "minutes",
    header: "Lost",
    unit: "h:mm",
    align: "right",
    cell: (row) => `${Math.floor(row.minutes / 60)}:${String(row.minutes % 60).padStart(2, "0")}`,
  },
  {
    key: "state",
    header: "State",
    cell: (row) => (
      <span className="block">
        <Badge tone={STATES[row.state].tone}>{STATES[row.state].word}</Badge>
        <span className="block text-xs text-muted">
          {row.state === "proposed" && "until "}
          <Timestamp at={row.settledAt ?? row.dueAt} />
        </span>
      </span>
    ),
  },
  {
    key: "decline",
    header: "Decline",
    cell: (row) =>
      row.state === "proposed" ? (
        <ActionDialog
          needs="credit.decline"
          trigger="Decline"
          triggerVariant="secondary"
          triggerSize="small"
          title={`Decline the credit of ${row.userName}?`}
          consequence="The end of access does not change, and no mail is sent. The month is not proposed again."
          confirmLabel="Decline the credit"
          action={adminPaths.declineCredit(row.id)}
        />
      ) : (
        <span className="text-faint">–</span>
      ),
  },
  {
    key: "what",
    header: "Cause",
    cell: (row) => (
      <span className="block sm:w-52 sm:whitespace-normal">
        {[...new Set(row.stretches.map(({ what }) => what))].slice(0, 2).join("; ")}
        {row.stretches.length > 1 && <span className="text-muted"> ({row.stretches.length} times)</span>}
      </span>
    ),
  },
];
