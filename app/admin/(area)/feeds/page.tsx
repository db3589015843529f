import type { Metadata } from "next";
import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { PageHeader } from "@/app/_components/page-header";
import { StatusPill, type StatusState } from "@/app/_components/status-pill";
import { formatInstant } from "@/app/_components/times";
import { RelativeTime, Timestamp } from "@/app/_components/timestamp";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { SECRET_FORM, SecretField } from "@/app/admin/_components/secret-field";
import { db } from "@/db/client";
import type { FeedFileRow } from "@/db/queries/feeds";
import { type FeedsState, readFeeds } from "@/lib/admin/read-feeds";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths, paths } from "@/lib/paths";
import { readSecretStates } from "@/lib/settings/service-secrets";
import { isDemonstration } from "@/lib/signals/record/record-rule";
import type { FeedState } from "@/lib/vocabulary";
import { CorrectionTable } from "./_components/correction-table";
import { OddCandleTable } from "./_components/odd-candle-table";
import { SlotTable } from "./_components/slot-table";
import { FeedTokensCard } from "./_components/token-card";

export const metadata: Metadata = { title: "Feeds" };

/** Sources of candles, their newest candles, gaps and corrections. */
export default async function Feeds() {
  const session = await requireAdminSession(adminPaths.feeds());
  const now = new Date();
  const [state, flash, secrets] = await Promise.all([
    readFeeds(now),
    consumeFlash(db(), session.sessionId),
    readSecretStates(db()),
  ]);
  const oanda = secrets.get("OANDA_TOKEN");
  const late = state.slots.filter(({ lateMinutes }) => lateMinutes >= 1).length;
  const gapped = state.slots.filter(({ missing }) => missing > 0).length;
  return (
    <>
      <PageHeader
        title="Feeds"
        actions={<LinkButton href={adminPaths.upload({ kind: "candles" })}>Upload candles</LinkButton>}
        lead={`${countWithNoun(state.feeds.length, "feed")}, ${countWithNoun(state.slots.length, "slot")}: ${late === 0 ? "none is late" : `${late} late`}, ${gapped === 0 ? "none has a gap" : `${gapped} with gaps`}. Times are UTC; time while a market is closed does not count.`}
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        <Card
          title="Feeds"
          lead="Feeds in the order of MARKET_FEED, then terminals. If two deliver the same slot, the first one is used; the second fills its gaps and is compared with it. Published candles let anyone recompute the outcomes of the public record. Unpublish a feed whose licence forbids it."
          flush
        >
          <DataTable
            caption="Feeds"
            columns={feedColumns(now)}
            rows={state.feeds}
            rowKey={(row) => row.name}
            empty={
              <EmptyState title="No feed">
                {isDemonstration() && "The candles here are simulated. "}
                For new candles, set MARKET_FEED (OANDA, an exchange, or a folder of files) and restart,
                create a token for a MetaTrader terminal below, or let{" "}
                <a href={adminPaths.models()} className="link">
                  a model of your own
                </a>{" "}
                send them. For past candles,{" "}
                <a href={adminPaths.upload({ kind: "candles" })} className="link">
                  upload a file
                </a>{" "}
                or use the command ingest, both described under{" "}
                <a href={paths.docs("operations", "candles")} className="link">
                  Candles
                </a>
                .
              </EmptyState>
            }
          />
        </Card>
        <Card title="Slots" flush>
          <SlotTable slots={state.slots} />
        </Card>
        <Card
          title="Corrections"
          lead="Closed candles that were changed, and candles of a second feed that are more than 0.1 % off the first. Earlier signals and outcomes do not change."
          flush
        >
          <CorrectionTable corrections={state.corrections} />
        </Card>
        {state.oddCandles.length > 0 && (
          <Card
            title="Odd candles"
            lead="Stored candles that do not fit the prices around them. Training excludes bad ticks and adjusts the prices before a split. Signals and outcomes use the candles as stored."
            flush
          >
            <OddCandleTable candles={state.oddCandles} />
          </Card>
        )}
        {state.files.length > 0 && (
          <Card title="Recent files" flush>
            <DataTable
              caption="Files of watched folders, newest first"
              columns={FILES}
              rows={state.files}
              rowKey={(row) => `${row.feed}/${row.hash}`}
            />
          </Card>
        )}
        {oanda && (
          <Card
            title="OANDA"
            lead="The token of OANDA's v20 API, for feeds such as oanda(EURUSD=EUR_USD:H1) in MARKET_FEED."
          >
            <SecretField state={oanda} form={formState(flash, SECRET_FORM)} triedBy="Test the token" />
          </Card>
        )}
        <div id="tokens" className="scroll-mt-24">
          <FeedTokensCard
            tokens={state.tokens}
            fresh={flash?.kind === "feed-token" ? flash : null}
            form={formState(flash, "feed-token.create")}
          />
        </div>
      </div>
    </>
  );
}

type Shown = FeedsState["feeds"][number];

const LOOKS: Record<FeedState, { state: StatusState; label: string }> = {
  ok: { state: "ok", label: "Works" },
  waiting: { state: "delayed", label: "Retrying" },
  held: { state: "degraded", label: "Paused: clock off" },
  refused: { state: "down", label: "Needs attention" },
};

const feedColumns = (now: Date): Column<Shown>[] => [
  {
    key: "name",
    header: "Feed",
    primary: true,
    cell: (row) => <span className="break-all">{row.name}</span>,
  },
  {
    key: "state",
    header: "State",
    cell: ({ row, plan, name }) => {
      if (name === "dukascopy") return <StatusPill state="never" label="History" />;
      if (plan === null && !name.startsWith("push:"))
        return <StatusPill state="revoked" label="Not in MARKET_FEED" />;
      return row === null ? (
        <StatusPill state="never" label="Not yet" />
      ) : (
        <StatusPill {...LOOKS[row.state]} />
      );
    },
  },
  {
    key: "ok",
    header: "Last success",
    cell: ({ row }) => <RelativeTime at={row?.lastOkAt ?? null} now={now} />,
  },
  {
    key: "clock",
    header: "Clock off by",
    align: "right",
    cell: ({ row }) => (row?.clockOffsetMs == null ? "–" : `${formatNumber(row.clockOffsetMs / 1000, 1)} s`),
  },
  { key: "candles", header: "Public candles", cell: CandlesCell },
  {
    key: "error",
    header: "Last error",
    cell: ({ row }) =>
      row?.lastError == null || row.lastErrorAt === null ? (
        "none"
      ) : (
        <span title={formatInstant(row.lastErrorAt)}>
          {row.lastError}{" "}
          <span className="text-muted">
            (<RelativeTime at={row.lastErrorAt} now={now} />)
          </span>
        </span>
      ),
  },
];

/** Whether candles of the feed are public, and the button that changes it. */
function CandlesCell({ name, areCandlesPublic }: Shown) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      {areCandlesPublic ? "Published" : "Not published"}
      <ActionForm needs="feed.candles" action={adminPaths.feedsForm("candles")}>
        <input type="hidden" name="feed" value={name} />
        <input type="hidden" name="shown" value={areCandlesPublic ? "no" : "yes"} />
        <Button type="submit" variant="quiet" size="small">
          {areCandlesPublic ? "Unpublish" : "Publish"}
        </Button>
      </ActionForm>
    </div>
  );
}

const FILES: Column<FeedFileRow>[] = [
  {
    key: "file",
    header: "File",
    primary: true,
    cell: (row) => <span className="break-all">{row.file}</span>,
  },
  { key: "read", header: "Read", cell: (row) => <Timestamp at={row.readAt} /> },
  { key: "new", header: "New", align: "right", cell: (row) => formatNumber(row.accepted) },
  { key: "known", header: "Known", align: "right", cell: (row) => formatNumber(row.duplicates) },
  { key: "error", header: "Left out", cell: (row) => row.error ?? "nothing" },
];
