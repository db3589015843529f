import { randomUUID } from "node:crypto";
import { db } from "@/db/client";
import type { MailKind, MailPropsByKind } from "@/lib/outbound/mail/kinds";
import { queueMail } from "@/lib/outbound/mail/queue-mail";

export const NEVER_ABORTED = new AbortController().signal;

/** Queues the mail about a new key, with a random text as the key. Returns the mail's id, that key and the recipient. */
export async function queueKeyMail(recipient = `mail-${randomUUID().slice(0, 8)}@example.com`) {
  const secret = randomUUID();
  const { mailId } = await queueMail(db(), {
    kind: "key-created",
    dedupeKey: `key-created/${randomUUID()}`,
    subscriptionId: null,
    recipient,
    props: { userName: "Ada", planTier: "pro", expiresAt: "2026-12-25T10:00:00Z" },
    secret,
  });
  if (mailId === null) throw new Error("not queued");
  return { mailId, secret, recipient };
}

/** Queues a mail without a secret. */
export async function queuePlainMail<K extends MailKind>(
  kind: K,
  props: MailPropsByKind[K],
  recipient: string,
) {
  const { mailId } = await queueMail(db(), {
    kind,
    dedupeKey: `${kind}/${randomUUID()}`,
    subscriptionId: null,
    recipient,
    props,
  });
  if (mailId === null) throw new Error("not queued");
  return mailId;
}
