import { Eye, MailX, Megaphone } from "lucide-react";
import type { Metadata } from "next";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import type { Column } from "@/app/_components/data-table";
import { formatNumber } from "@/app/_components/figures";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { Stat, StatRow } from "@/app/_components/stat";
import { formatRelative } from "@/app/_components/times";
import { Timestamp } from "@/app/_components/timestamp";
import { ActionLink } from "@/app/admin/_components/action-controls";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { parseListQuery, searchFilter, selectFilter } from "@/app/admin/_components/list/list-filter";
import { PagedList } from "@/app/admin/_components/list/paged-list";
import { SECRET_FORM, SecretField } from "@/app/admin/_components/secret-field";
import { db } from "@/db/client";
import { countMailQueue } from "@/db/queries/mail-queue";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { mailTransport } from "@/lib/outbound/mail/mail-transport";
import { listMail, type MailRow } from "@/lib/outbound/mail/outbox";
import { adminPaths } from "@/lib/paths";
import { readSecretStates } from "@/lib/settings/service-secrets";
import type { SearchParams } from "@/lib/wire/query-filter";
import { mailFailureText } from "./_components/failure-text";
import { MAIL_LABELS, MailStatePill } from "./_components/mail-labels";
import { TestMailCard } from "./_components/test-mail-card";

export const metadata: Metadata = { title: "Mail" };

const FILTERS = {
  q: searchFilter("Part of an address", "Recipient"),
  status: selectFilter("State", { pending: "Waiting", sent: "Sent", dead: "Failed" }),
  kind: selectFilter("Kind", MAIL_LABELS),
};
const TRANSPORT_SECRETS = [
  { name: "RESEND_API_KEY", hint: "Begins with re_." },
  { name: "SMTP_URL", hint: "smtps://USER:PASSWORD@HOST:465, or smtp:// with STARTTLS." },
] as const;
const TRANSPORTS = { resend: "Resend", smtp: "SMTP", outbox: "Local outbox" } as const;

/** Mails that were sent, are queued, or could not be delivered. */
export default async function Mail({ searchParams }: { searchParams: SearchParams }) {
  const session = await requireAdminSession(adminPaths.mail());
  const now = new Date();
  const list = parseListQuery(FILTERS, await searchParams);
  const [{ total, mails }, queue, flash, secrets] = await Promise.all([
    listMail(db(), { ...list.shown, ...list.page }),
    countMailQueue(db()),
    consumeFlash(db(), session.sessionId),
    readSecretStates(db()),
  ]);
  const transport = mailTransport().name;
  const isTransportLost = TRANSPORT_SECRETS.some(
    ({ name }) => secrets.get(name)?.stored?.isReadable === false,
  );
  return (
    <>
      <PageHeader
        title="Mail"
        lead="Mails are sent within about a second. Failed ones are retried with growing pauses."
        actions={
          <>
            <ActionLink needs="mail.notice" href={adminPaths.sendNotice()}>
              <Megaphone aria-hidden="true" />
              Write a notice
            </ActionLink>
            <LinkButton href={adminPaths.mailTemplates()}>
              <Eye aria-hidden="true" />
              Templates
            </LinkButton>
          </>
        }
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        {transport === "outbox" && (
          <Notice title="Local outbox">
            {isTransportLost
              ? "No encryption key in use opens the stored transport"
              : "No transport is configured"}
            , so mails are written to files in the folder “outbox” of the data directory. Enter a transport
            below to send them.
          </Notice>
        )}
        <StatRow columns={4} label="Queue">
          <Stat
            label="Waiting"
            value={formatNumber(queue.pending)}
            note={
              queue.oldestPendingAt ? `oldest ${formatRelative(queue.oldestPendingAt, now)}` : "nothing waits"
            }
          />
          <Stat label="Sent in 24 h" value={formatNumber(queue.sent24h)} />
          <Stat
            label="Failed"
            value={
              queue.dead === 0 ? (
                "0"
              ) : (
                <a href={adminPaths.mail({ status: "dead" })} className="link">
                  {formatNumber(queue.dead)}
                </a>
              )
            }
            note={queue.dead === 0 ? undefined : "needs attention"}
          />
          <Stat label="Transport" value={<span className="text-base">{TRANSPORTS[transport]}</span>} />
        </StatRow>
        <PagedList
          noun="mail"
          caption="Mails, newest first"
          list={list}
          address={adminPaths.mail}
          columns={COLUMNS}
          rows={mails}
          rowKey={(row) => row.id}
          total={total}
          empty={{
            icon: MailX,
            title: "No mail yet",
            text: "Mails follow payments, rotations, revocations and sign-ins.",
          }}
        />
        <Card
          title="Transport"
          lead="Resend is used if its API key is set, otherwise the SMTP server. Waiting mails are sent with the new transport. The sender is set under Settings, Brand."
        >
          <div className="space-y-6">
            {TRANSPORT_SECRETS.map(({ name, hint }) => {
              const state = secrets.get(name);
              return (
                state && (
                  <SecretField
                    key={name}
                    state={state}
                    form={formState(flash, SECRET_FORM)}
                    hint={hint}
                    // A session by the shared secret has no address for a test mail; the form below asks for one.
                    triedBy={session.person === null ? undefined : "Send me a test"}
                  />
                )
              );
            })}
          </div>
        </Card>
        <TestMailCard form={formState(flash, "mail.test")} />
      </div>
    </>
  );
}

const COLUMNS: Column<MailRow>[] = [
  {
    key: "created",
    header: "Queued",
    primary: true,
    cell: (row) => (
      <a href={adminPaths.mailMessage(row.id)} className="link">
        <Timestamp at={row.createdAt} />
      </a>
    ),
  },
  {
    key: "kind",
    header: "Mail",
    phone: "lower",
    cell: (row) => MAIL_LABELS[row.kind] ?? row.kind,
  },
  {
    key: "to",
    header: "To",
    phone: "lower",
    cell: (row) => <span className="break-all">{row.recipient || "removed"}</span>,
  },
  { key: "state", header: "State", phone: "upper", cell: (row) => <MailStatePill {...row} /> },
  { key: "attempts", header: "Attempts", align: "right", cell: (row) => row.attempts },
  {
    key: "error",
    header: "Last response",
    cell: ({ lastErrorCode: code }) => (
      <span className="text-xs text-muted" title={code ?? undefined}>
        {code === null ? "–" : (mailFailureText(code) ?? code)}
      </span>
    ),
  },
  { key: "sent", header: "Sent", cell: (row) => <Timestamp at={row.sentAt} /> },
];
