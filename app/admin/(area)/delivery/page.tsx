import { MessageCircle, Webhook } from "lucide-react";
import type { Metadata } from "next";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { formatNumber } from "@/app/_components/figures";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { Stat, StatRow } from "@/app/_components/stat";
import { StatusPill } from "@/app/_components/status-pill";
import { formatRelative } from "@/app/_components/times";
import { Timestamp } from "@/app/_components/timestamp";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { parseListQuery, selectFilter } from "@/app/admin/_components/list/list-filter";
import { PagedList } from "@/app/admin/_components/list/paged-list";
import { SECRET_FORM, SecretField } from "@/app/admin/_components/secret-field";
import { TruncatedText } from "@/app/admin/_components/truncated-text";
import { db } from "@/db/client";
import { readChannelDeliveryCounts } from "@/db/queries/channel-queue";
import { type ChannelDeliveryRow, listTroubledChannelDeliveries } from "@/db/queries/channel-recipients";
import { listTroubledMessages, type TroubledMessage } from "@/db/queries/telegram-chats";
import { readTelegramCounts } from "@/db/queries/telegram-queue";
import {
  countWebhookDeliveries,
  listWebhookDeliveries,
  readWebhookCounts,
  type WebhookDeliveryRow,
} from "@/db/queries/webhook-queue";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { hasTelegramBot } from "@/lib/outbound/telegram/bot-api";
import { adminPaths } from "@/lib/paths";
import { readSecretStates } from "@/lib/settings/service-secrets";
import type { OutboundDeliveryState } from "@/lib/vocabulary";
import type { SearchParams } from "@/lib/wire/query-filter";

export const metadata: Metadata = { title: "Delivery" };

const FILTERS = {
  state: selectFilter("State", { pending: "Waiting", sent: "Delivered", dead: "Failed", dropped: "Dropped" }),
};
const TROUBLED_SHOWN = 50;

/** Outgoing webhooks, Telegram and channel messages: sent, waiting, and failed. */
export default async function Delivery({ searchParams }: { searchParams: SearchParams }) {
  const session = await requireAdminSession(adminPaths.outbound());
  const now = new Date();
  const list = parseListQuery(FILTERS, await searchParams);
  const [flash, webhooks, telegram, channels, rows, total, troubled, troubledInChannels, secrets] =
    await Promise.all([
      consumeFlash(db(), session.sessionId),
      readWebhookCounts(db()),
      readTelegramCounts(db()),
      readChannelDeliveryCounts(db()),
      listWebhookDeliveries(db(), { state: list.shown.state, ...list.page }),
      countWebhookDeliveries(db(), list.shown.state),
      listTroubledMessages(db(), TROUBLED_SHOWN),
      listTroubledChannelDeliveries(db(), TROUBLED_SHOWN),
      readSecretStates(db()),
    ]);
  const isBotSet = hasTelegramBot();
  const token = secrets.get("TELEGRAM_BOT_TOKEN");
  const oldest = (at: Date | null) => (at ? `oldest ${formatRelative(at, now)}` : "nothing waits");
  return (
    <>
      <PageHeader title="Delivery" lead="Webhooks, Telegram and other channels. Mail has its own page." />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        <StatRow columns={4} label="Webhooks">
          <Stat
            label="Deliveries waiting"
            value={formatNumber(webhooks.pending)}
            note={oldest(webhooks.oldestPendingAt)}
          />
          <Stat label="Delivered in 24 h" value={formatNumber(webhooks.sent24h)} />
          <Stat label="Failed" value={formatNumber(webhooks.dead)} note="in 30 days" />
          <Stat
            label="Endpoints"
            value={formatNumber(webhooks.endpoints)}
            note={webhooks.paused === 0 ? "none is paused" : `${webhooks.paused} paused`}
          />
        </StatRow>
        <PagedList
          noun="delivery"
          nouns="deliveries"
          caption="Deliveries, newest first"
          list={list}
          address={adminPaths.outbound}
          columns={DELIVERIES}
          rows={rows}
          rowKey={(row) => row.deliveryId}
          total={total}
          empty={{
            icon: Webhook,
            title: "No delivery yet",
            text: "Deliveries appear here once a subscriber adds a webhook endpoint.",
          }}
        />
        {isBotSet && telegram.lastCode !== null && (
          <Notice tone="warn" title="Telegram refuses calls">
            The last call ended with <code className="font-mono">{telegram.lastCode}</code>. Messages wait.
            After telegram_401 check the token below; after telegram_409 another program uses the same bot;
            after webhook_unreachable Telegram cannot reach BASE_URL, and only messages to the bot wait.
          </Notice>
        )}
        <StatRow columns={4} label="Telegram">
          <Stat
            label="Messages waiting"
            value={formatNumber(telegram.pending)}
            note={oldest(telegram.oldestPendingAt)}
          />
          <Stat label="Sent in 24 h" value={formatNumber(telegram.sent24h)} />
          <Stat
            label="Failed"
            value={formatNumber(telegram.dead)}
            note={`${formatNumber(telegram.doubtful)} in doubt`}
          />
          <Stat
            label="Chats"
            value={formatNumber(telegram.chats)}
            note={isBotSet ? "linked" : "no bot is configured"}
          />
        </StatRow>
        {token && (
          <Card
            title="Telegram bot"
            lead="The bot that sends signals to chats. @BotFather gives you its token. Messages wait while the token is replaced."
          >
            <SecretField
              state={token}
              form={formState(flash, SECRET_FORM)}
              triedBy="Test the token"
              hint="Such as 123456789:AA…"
            />
          </Card>
        )}
        <Card
          title="Messages that need attention"
          lead="Failed, or in doubt because a process ended while sending, or Telegram failed or did not answer. They are not sent again automatically, so that no message arrives twice."
          flush
        >
          {troubled.length > 0 ? (
            <DataTable
              caption="Messages to Telegram, newest first"
              columns={MESSAGES}
              rows={troubled}
              rowKey={(row) => row.id}
            />
          ) : (
            <EmptyState icon={MessageCircle} title="None">
              No message has failed, and none is in doubt.
            </EmptyState>
          )}
        </Card>
        <StatRow columns={4} label="Other channels">
          <Stat
            label="Channel messages waiting"
            value={formatNumber(channels.pending)}
            note={oldest(channels.oldestPendingAt)}
          />
          <Stat label="Channel messages, 24 h" value={formatNumber(channels.sent24h)} />
          <Stat
            label="Failed"
            value={formatNumber(channels.dead)}
            note={`${formatNumber(channels.doubtful)} in doubt`}
          />
          <Stat
            label="Channels"
            value={formatNumber(channels.recipients)}
            note={channels.paused === 0 ? "none is paused" : `${channels.paused} paused`}
          />
        </StatRow>
        {troubledInChannels.length > 0 && (
          <Card
            title="Channel messages that need attention"
            lead="Failed or in doubt. They are not sent again automatically."
            flush
          >
            <DataTable
              caption="Events for channels, newest first"
              columns={IN_CHANNELS}
              rows={troubledInChannels}
              rowKey={(row) => row.id}
            />
          </Card>
        )}
      </div>
    </>
  );
}

const STATES: Record<OutboundDeliveryState, { state: "ok" | "delayed" | "down" | "revoked"; label: string }> =
  {
    pending: { state: "delayed", label: "Waiting" },
    sent: { state: "ok", label: "Delivered" },
    dead: { state: "down", label: "Failed" },
    dropped: { state: "revoked", label: "Dropped" },
  };

function Again({ what, id }: { what: "webhook" | "telegram" | "channel"; id: number }) {
  return (
    <ActionForm needs="delivery.again" action={adminPaths.outboundForm("again")}>
      <input type="hidden" name="what" value={what} />
      <input type="hidden" name="id" value={id} />
      <Button type="submit" size="small">
        Send again
      </Button>
    </ActionForm>
  );
}

const Who = ({ id, name }: { id: number; name: string }) => (
  <a href={adminPaths.subscriber(id)} className="link">
    <TruncatedText text={name} className="sm:max-w-56" />
  </a>
);

const Trouble = ({ state }: { state: string }) =>
  state === "doubtful" ? (
    <StatusPill state="degraded" label="In doubt" />
  ) : (
    <StatusPill state="down" label="Failed" />
  );

const Code = ({ text }: { text: string | null }) => (
  <span className="font-mono text-xs text-muted">{text ?? "–"}</span>
);

const DELIVERIES: Column<WebhookDeliveryRow>[] = [
  { key: "created", header: "Queued", primary: true, cell: (row) => <Timestamp at={row.createdAt} /> },
  { key: "who", header: "Subscriber", cell: (row) => <Who id={row.subscriptionId} name={row.userName} /> },
  { key: "host", header: "Server", cell: (row) => <span className="break-all">{row.host}</span> },
  { key: "event", header: "Event", cell: (row) => <span className="font-mono text-xs">{row.event}</span> },
  { key: "state", header: "State", cell: (row) => <StatusPill {...STATES[row.state]} /> },
  { key: "attempts", header: "Attempts", align: "right", cell: (row) => row.attempts },
  {
    key: "error",
    header: "Last response",
    cell: ({ lastCode, lastStatus }) => <Code text={lastCode ?? lastStatus?.toString() ?? null} />,
  },
  {
    key: "again",
    header: "",
    align: "right",
    cell: (row) => row.state !== "pending" && <Again what="webhook" id={row.deliveryId} />,
  },
];

const MESSAGES: Column<TroubledMessage>[] = [
  { key: "created", header: "Queued", primary: true, cell: (row) => <Timestamp at={row.createdAt} /> },
  {
    key: "who",
    header: "Subscriber",
    cell: (row) =>
      row.subscriptionId === null ? "not linked" : <Who id={row.subscriptionId} name={row.userName ?? ""} />,
  },
  { key: "state", header: "State", cell: ({ state }) => <Trouble state={state} /> },
  { key: "attempts", header: "Attempts", align: "right", cell: (row) => row.attempts },
  { key: "error", header: "Reason", cell: ({ lastCode }) => <Code text={lastCode} /> },
  { key: "again", header: "", align: "right", cell: (row) => <Again what="telegram" id={row.id} /> },
];

const IN_CHANNELS: Column<ChannelDeliveryRow>[] = [
  { key: "created", header: "Queued", primary: true, cell: (row) => <Timestamp at={row.createdAt} /> },
  { key: "who", header: "Subscriber", cell: (row) => <Who id={row.subscriptionId} name={row.userName} /> },
  { key: "channel", header: "Channel", cell: (row) => row.channel },
  { key: "event", header: "Event", cell: (row) => <span className="font-mono text-xs">{row.event}</span> },
  { key: "state", header: "State", cell: ({ state }) => <Trouble state={state} /> },
  { key: "error", header: "Reason", cell: ({ lastCode }) => <Code text={lastCode} /> },
  { key: "again", header: "", align: "right", cell: (row) => <Again what="channel" id={row.id} /> },
];
