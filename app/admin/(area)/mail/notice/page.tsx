import { randomUUID } from "node:crypto";
import type { Metadata } from "next";
import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { countWithNoun } from "@/app/_components/figures";
import { Select } from "@/app/_components/form/select";
import { TextArea } from "@/app/_components/form/text-area";
import { TextInput } from "@/app/_components/form/text-input";
import { PageHeader } from "@/app/_components/page-header";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { db } from "@/db/client";
import { countNoticeRecipients } from "@/db/queries/notices";
import { findPlan, plans } from "@/lib/access/plans";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";

export const metadata: Metadata = { title: "Notice" };

/**
 * The form for a mail to all subscribers with access or to those of one plan. The first step shows a preview with the
 * number of recipients, the second sends it.
 */
export default async function NoticePage() {
  const session = await requireAdminSession(adminPaths.sendNotice());
  const flash = await consumeFlash(db(), session.sessionId);
  const form = formState(flash, "mail.notice");
  const isPreview = form.returned && Object.keys(form.errors).length === 0;
  const { values } = form;
  const plan = findPlan(values.plan ?? "")?.name ?? null;
  const n = isPreview ? await countNoticeRecipients(db(), plan) : 0;
  return (
    <>
      <PageHeader
        parent={{ href: adminPaths.mail(), label: "Mail" }}
        title="Write a notice"
        lead="To everyone whose access works now, or to one plan, except those who unsubscribed from notices. Each address gets one mail."
      />
      {!isPreview && <FlashNotice flash={flash} />}
      <div className="space-y-6">
        {isPreview && (
          <Card
            title="Preview"
            lead={`To ${countWithNoun(n, "person", "people")}, ${plan === null ? "on any plan" : `on the plan ${plan}`}.`}
          >
            <div className="max-w-2xl space-y-3 rounded-lg border bg-paper p-4 text-sm">
              <p className="text-lg font-semibold break-words">{values.title}</p>
              <p className="break-words whitespace-pre-line">{values.text}</p>
            </div>
            <ActionForm
              needs="mail.notice"
              action={adminPaths.mailForm("notice")}
              className="mt-4 flex flex-wrap gap-2"
            >
              {["plan", "title", "text", "notice_key"].map((name) => (
                <input key={name} type="hidden" name={name} value={values[name] ?? ""} />
              ))}
              <input type="hidden" name="confirmed" value="true" />
              <Button type="submit" variant="primary" disabled={n === 0}>
                Send to {countWithNoun(n, "person", "people")}
              </Button>
              <LinkButton href={adminPaths.sendNotice()}>Start over</LinkButton>
            </ActionForm>
          </Card>
        )}
        <Card title={isPreview ? "Change the notice" : "Notice"}>
          <ActionForm
            needs="mail.notice"
            action={adminPaths.mailForm("notice")}
            className="max-w-2xl space-y-4"
          >
            <input type="hidden" name="notice_key" value={values.notice_key ?? randomUUID()} />
            <Select
              label="To"
              name="plan"
              defaultValue={values.plan ?? "all"}
              error={form.errors.plan}
              options={[
                { value: "all", label: "Everyone with access" },
                ...plans().map(({ name, title }) => ({ value: name, label: `Plan ${title}` })),
              ]}
            />
            <TextInput
              label="Subject"
              name="title"
              required
              maxLength={120}
              defaultValue={values.title}
              error={form.errors.title}
            />
            <TextArea
              label="Text"
              name="text"
              required
              maxLength={5_000}
              rows={8}
              defaultValue={values.text}
              error={form.errors.text}
              hint="Plain text; a blank line starts a new paragraph."
            />
            <Button type="submit">Preview</Button>
          </ActionForm>
        </Card>
      </div>
    </>
  );
}
