import { ExternalLink } from "lucide-react";
import type { Metadata } from "next";
import { Card } from "@/app/_components/card";
import { FactList } from "@/app/_components/fact-list";
import { PageHeader } from "@/app/_components/page-header";
import { Timestamp } from "@/app/_components/timestamp";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { MissingPage } from "@/app/admin/_components/missing-page";
import { mailFailureText } from "@/app/admin/(area)/mail/_components/failure-text";
import { MAIL_LABELS, MailStatePill } from "@/app/admin/(area)/mail/_components/mail-labels";
import { MailText } from "@/app/admin/(area)/mail/_components/mail-text";
import { db } from "@/db/client";
import { findMail } from "@/db/queries/mail";
import { findUserName } from "@/db/queries/subscriptions";
import { parseIdOrNull } from "@/lib/admin/form-fields";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { KINDS_WITH_SECRET, type MailKind, newLinkHint } from "@/lib/outbound/mail/kinds";
import { previewMail } from "@/lib/outbound/mail/outbox";
import { adminPaths } from "@/lib/paths";
import { ResendCard } from "./_components/resend-card";

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  return { title: `Mail ${(await params).id}` };
}

/** A mail with its state, its text (without its key or link), and a form to send it again. */
export default async function MailMessage({ params }: { params: Promise<{ id: string }> }) {
  const id = parseIdOrNull((await params).id);
  if (id === null) return <MissingPage />;
  const session = await requireAdminSession(adminPaths.mailMessage(id));
  const mail = await findMail(db(), id);
  if (!mail) return <MissingPage />;
  if (mail.recipient === "") return <EmptiedMail kind={mail.kind} sentAt={mail.sentAt} />;
  const [written, flash, subscriberName] = await Promise.all([
    previewMail(db(), id),
    consumeFlash(db(), session.sessionId),
    mail.subscriptionId === null ? null : findUserName(db(), mail.subscriptionId),
  ]);
  // Another release may have stored a kind that the set does not contain.
  const needsSecret = KINDS_WITH_SECRET.has(mail.kind as MailKind);
  const blocked =
    newLinkHint(mail.kind) ??
    (mail.status === "pending"
      ? "It is still waiting to be sent."
      : needsSecret && mail.secretEncrypted === null
        ? "Its key is no longer stored, because the mail was sent. Correct the subscriber's address and rotate the key instead."
        : null);

  return (
    <>
      <PageHeader
        parent={{ href: adminPaths.mail(), label: "Mail" }}
        title={MAIL_LABELS[mail.kind] ?? mail.kind}
        lead={
          <span className="inline-flex flex-wrap items-center gap-x-3">
            <MailStatePill status={mail.status} transport={mail.transport} />
            <span className="break-all">to {mail.recipient}</span>
          </span>
        }
      />
      <FlashNotice flash={flash} />
      <div className="grid items-start gap-6 lg:grid-cols-[1fr_20rem]">
        <Card
          title={written.subject}
          lead="As sent. Keys and links are hidden."
          footer={
            <a
              href={adminPaths.mailMessageHtml(id)}
              target="_blank"
              rel="noreferrer"
              className="link inline-flex items-center gap-1.5"
            >
              HTML preview
              <ExternalLink aria-hidden="true" className="size-3.5" />
              <span className="sr-only"> (opens a new tab)</span>
            </a>
          }
        >
          <MailText text={written.text} />
        </Card>
        <div className="min-w-0 space-y-6">
          <Card title="Delivery">
            <FactList
              facts={[
                { name: "Queued", value: <Timestamp at={mail.createdAt} /> },
                { name: "Sent", value: <Timestamp at={mail.sentAt} /> },
                { name: "Attempts", value: String(mail.attempts) },
                {
                  name: "Next attempt",
                  value: mail.status === "pending" ? <Timestamp at={mail.nextAttemptAt} /> : "–",
                },
                { name: "Last response", value: <LastResponse code={mail.lastErrorCode} /> },
                { name: "Transport", value: mail.transport ?? "–" },
                {
                  name: "Subscriber",
                  value:
                    mail.subscriptionId === null ? (
                      "–"
                    ) : (
                      <a href={adminPaths.subscriber(mail.subscriptionId)} className="link">
                        {subscriberName ?? mail.subscriptionId}
                      </a>
                    ),
                },
              ]}
            />
          </Card>
          <ResendCard mail={mail} blocked={blocked} />
        </div>
      </div>
    </>
  );
}

/** A mail whose text was deleted at the end of its retention. */
function EmptiedMail({ kind, sentAt }: { kind: string; sentAt: Date | null }) {
  return (
    <>
      <PageHeader parent={{ href: adminPaths.mail(), label: "Mail" }} title={MAIL_LABELS[kind] ?? kind} />
      <p className="text-sm text-muted">
        Its address and content were deleted: see Retention under Operations.
        {sentAt !== null && (
          <>
            {" "}
            It was sent <Timestamp at={sentAt} />.
          </>
        )}
      </p>
    </>
  );
}

function LastResponse({ code }: { code: string | null }) {
  if (code === null) return "–";
  return (
    <>
      {mailFailureText(code)} <span className="font-mono text-xs text-muted">{code}</span>
    </>
  );
}
