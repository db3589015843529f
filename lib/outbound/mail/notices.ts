import { randomUUID } from "node:crypto";
import type { Database, Transaction } from "@/db/client";
import { insertNotices } from "@/db/queries/notices";
import { paths } from "@/lib/paths";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { env } from "@/lib/runtime/env";
import type { PlanTier } from "@/lib/vocabulary";
import { Email } from "@/lib/wire/email";
import { AppError, invalidField } from "@/lib/wire/errors";
import { queueMail } from "./queue-mail";

export interface Notice {
  /** Created with the form, so that submitting it twice sends the notice once. */
  noticeKey: string;
  /** null: everyone with access. */
  plan: PlanTier | null;
  title: string;
  text: string;
}

/**
 * Queues a notice for everyone with access, or with one plan, who has not unsubscribed from notices: one mail per
 * address. Returns the number of mails. Throws conflict if the notice was already sent or has no recipients.
 */
export async function sendNotice(database: Database, notice: Notice, actor: Actor): Promise<number> {
  return database.transaction(async (tx) => {
    const n = await insertNotices(tx, notice);
    if (n === 0)
      throw new AppError("conflict", { detail: "This notice was already sent, or has no recipients." });
    await recordAudit(tx, {
      actor,
      action: "mail.notice",
      target: `notice/${notice.noticeKey}`,
      details: { plan: notice.plan, title: notice.title, recipients: n },
    });
    return n;
  });
}

/** Queues an update of the status page for subscribers with access who want it by mail, once per `key`. */
export async function queueStatusUpdateMails(
  tx: Transaction,
  { key, title, message }: { key: string; title: string; message: string },
): Promise<void> {
  const text = `${message}\n\nThe status page has every update: ${env().baseUrl}${paths.status()}`;
  await insertNotices(tx, { noticeKey: key, plan: null, title, text, wantIncidents: true });
}

/** Queues a test mail; returns its id. Throws validation_failed for an invalid address. */
export async function sendTestMail(database: Database, recipient: string, actor: Actor): Promise<number> {
  const address = Email.safeParse(recipient);
  if (!address.success) throw invalidField("body", "recipient", "must be one e-mail address");
  return database.transaction(async (tx) => {
    const { mailId } = await queueMail(tx, {
      kind: "test",
      dedupeKey: `test/${randomUUID()}`,
      subscriptionId: null,
      recipient: address.data,
      props: {},
    });
    if (mailId === null) throw new Error("a test mail was not queued");
    await recordAudit(tx, { actor, action: "mail.test", target: `mail/${mailId}` });
    return mailId;
  });
}
