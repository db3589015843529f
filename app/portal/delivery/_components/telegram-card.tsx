import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { ConfirmDialog } from "@/app/_components/confirm-dialog";
import { type Column, DataTable } from "@/app/_components/data-table";
import { countWithNoun } from "@/app/_components/figures";
import { Notice } from "@/app/_components/notice";
import { StatusPill } from "@/app/_components/status-pill";
import { PortalTime } from "@/app/portal/_components/portal-time";
import { ShownSubscriptionField } from "@/app/portal/_components/shown-subscription-field";
import type { findChat, SubscriberMessage } from "@/db/queries/telegram-chats";
import { clockOffsetLabel, type WallClock } from "@/lib/market/clock";
import { TELEGRAM_LINK_MINUTES } from "@/lib/outbound/telegram/links";
import { paths } from "@/lib/paths";
import type { TelegramMessageState } from "@/lib/vocabulary";

type Chat = Awaited<ReturnType<typeof findChat>>;

/** The linked chat with its latest messages, or the form to link one. */
export function TelegramCard({
  isOffered,
  chat,
  sent,
  link,
  contact,
  clock,
  now,
}: {
  /** Whether the operator has configured a bot. */
  isOffered: boolean;
  chat: Chat;
  sent: SubscriberMessage[];
  /** The address of a link that was just created; null otherwise. */
  link: string | null;
  /** The operator's mail address; null: none is configured. */
  contact: string | null;
  clock: WallClock;
  now: Date;
}) {
  return (
    <Card
      title="Telegram"
      lead="A message for each signal of your plan. When the result is known, it is added to the message."
      actions={
        <LinkButton href={paths.docs("telegram")} size="small">
          What the bot does
        </LinkButton>
      }
      flush
    >
      {link !== null && (
        <div className="px-4 py-5 sm:px-6">
          <Notice
            tone="done"
            title="Open this link in Telegram and press Start"
            actions={
              <LinkButton href={link} variant="primary">
                Open Telegram
              </LinkButton>
            }
            announce
          >
            It works once, within {TELEGRAM_LINK_MINUTES} minutes, and is shown only now.
          </Notice>
        </div>
      )}
      {!isOffered ? (
        <p className="px-4 py-4 text-sm text-muted sm:px-6">
          The operator has not set up a Telegram bot yet, so no chat can be linked.
          {contact !== null && (
            <>
              {" "}
              <a className="link" href={`mailto:${contact}`}>
                Contact the operator
              </a>
              .
            </>
          )}
        </p>
      ) : chat === null ? (
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-4 py-4 sm:px-6">
          <p className="text-sm text-muted">
            No chat is linked. You choose slots and quiet hours in the chat.
          </p>
          <LinkForm label="Link Telegram" />
        </div>
      ) : (
        <>
          <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-4 py-5 text-sm sm:px-6">
            <p>
              Linked with <strong>{chat.name ?? "a chat"}</strong> since{" "}
              <PortalTime at={chat.linkedAt} clock={clock} now={now} />
              <br />
              <span className="text-muted">{settingsOf(chat)}</span>
            </p>
            <div className="flex flex-wrap gap-3">
              <LinkForm label="Link another chat" />
              <ConfirmDialog
                trigger="Unlink"
                title="Unlink this chat?"
                consequence="If you unlink it, this chat gets no more messages. You can link it again at any time."
                confirmLabel="Unlink"
                action={paths.portalDeliveryForm("unlink-telegram")}
              >
                <ShownSubscriptionField />
              </ConfirmDialog>
            </div>
          </div>
          {sent.length > 0 && (
            <DataTable
              caption={`Last messages, newest first, in ${clockOffsetLabel(clock, now)}`}
              columns={columns(clock, now)}
              rows={sent}
              rowKey={(row) => row.id}
            />
          )}
        </>
      )}
    </Card>
  );
}

function LinkForm({ label }: { label: string }) {
  return (
    <form method="post" action={paths.portalDeliveryForm("link-telegram")}>
      <ShownSubscriptionField />
      <Button type="submit">{label}</Button>
    </form>
  );
}

function settingsOf({ mutedSlots, withNoTrade, quietFrom, quietTo }: NonNullable<Chat>): string {
  return [
    mutedSlots.length === 0
      ? "every slot of your plan"
      : `${countWithNoun(mutedSlots.length, "slot")} switched off`,
    withNoTrade ? "with NO TRADE" : "without NO TRADE",
    quietFrom === null || quietTo === null
      ? "no quiet hours"
      : `quiet hours ${quietFrom}:00 to ${quietTo}:00`,
  ].join(", ");
}

const STATES: Record<TelegramMessageState, { state: "ok" | "delayed" | "degraded" | "down"; label: string }> =
  {
    pending: { state: "delayed", label: "Waiting" },
    sending: { state: "delayed", label: "On its way" },
    sent: { state: "ok", label: "Sent" },
    doubtful: { state: "degraded", label: "In doubt" },
    dead: { state: "down", label: "Failed" },
    dropped: { state: "degraded", label: "Not sent" },
  };

/** The state of a message as colour, icon and word. */
export function TelegramStatePill({ state }: { state: TelegramMessageState }) {
  return <StatusPill {...STATES[state]} />;
}

/** What the state “In doubt” means. Such a message is not sent again, so that none arrives twice. */
export function DoubtNote({ title, isTest = false }: { title: string; isTest?: boolean }) {
  return (
    <p className="mt-1 text-xs text-muted">
      No clear answer from {title}; it may have arrived.{isTest && " Send another test."}
    </p>
  );
}

const columns = (clock: WallClock, now: Date): Column<SubscriberMessage>[] => [
  {
    key: "at",
    header: "Queued",
    primary: true,
    cell: (row) => <PortalTime at={row.createdAt} clock={clock} now={now} />,
  },
  { key: "about", header: "Message", cell: (row) => row.about ?? row.text ?? "" },
  {
    key: "state",
    header: "State",
    cell: (row) => (
      <>
        <TelegramStatePill state={row.state} />
        {row.state === "doubtful" && <DoubtNote title="Telegram" />}
      </>
    ),
  },
];
