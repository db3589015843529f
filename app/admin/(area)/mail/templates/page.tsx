import { ExternalLink } from "lucide-react";
import type { Metadata } from "next";
import { Card } from "@/app/_components/card";
import { PageHeader } from "@/app/_components/page-header";
import { MAIL_LABELS } from "@/app/admin/(area)/mail/_components/mail-labels";
import { MailText } from "@/app/admin/(area)/mail/_components/mail-text";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { MAIL_KINDS } from "@/lib/outbound/mail/kinds";
import { renderSample } from "@/lib/outbound/mail/render-mail";
import { adminPaths } from "@/lib/paths";

export const metadata: Metadata = { title: "Mail templates" };

/** Every mail of the service with sample content. */
export default async function Templates() {
  await requireAdminSession(adminPaths.mailTemplates());
  const samples = await Promise.all(
    MAIL_KINDS.map(async (kind) => ({ kind, ...(await renderSample(kind)) })),
  );
  return (
    <>
      <PageHeader
        parent={{ href: adminPaths.mail(), label: "Mail" }}
        title="Mail templates"
        lead="Each mail with example content. A mail has two parts: the plain text below, and the same as HTML."
      />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        {samples.map(({ kind, subject, text }) => (
          <Card
            key={kind}
            title={MAIL_LABELS[kind]}
            lead={`Subject: ${subject}`}
            footer={
              <a
                href={adminPaths.mailTemplateHtml(kind)}
                target="_blank"
                rel="noreferrer"
                className="link inline-flex items-center gap-1.5"
              >
                HTML preview
                <ExternalLink aria-hidden="true" className="size-3.5" />
                <span className="sr-only">: {MAIL_LABELS[kind]} (opens a new tab)</span>
              </a>
            }
          >
            <MailText text={text} />
          </Card>
        ))}
      </div>
    </>
  );
}
