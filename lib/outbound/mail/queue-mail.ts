import type { DatabaseHandle } from "@/db/client";
import { insertMail, insertMails, listStoredDedupeKeys, type NewMail } from "@/db/queries/mail";
import { encrypt } from "@/lib/runtime/secrets";
import type { MailKind, MailPropsByKind } from "./kinds";

/**
 * One mail to be sent. By kind (see `MailPropsByKind` for what each shows):
 *
 * | kind              | dedupeKey                                  | secret      |
 * |-------------------|--------------------------------------------|-------------|
 * | key-created       | `key-created/<key id>`                     | the key     |
 * | key-rotated       | `key-rotated/<new key id>`                 | the new key |
 * | access-revoked    | `access-revoked/<newest key>/<since when>` | none        |
 * | access-suspended  | `access-suspended/<key id>/<since when>`   | none        |
 * | access-reinstated | `access-reinstated/<key id>/<since when>`  | none        |
 * | renewed           | `renewed/<invoice id>`                     | none        |
 * | downtime-credited | `downtime-credited/<credit id>`            | none        |
 * | payment-failed    | `payment-failed/<grace id>/<failure>`      | none        |
 * | payment-moved     | `payment-moved/<invoice id>`               | none        |
 * | sign-in           | `sign-in/<hash of the token>/<n of mail>`  | the token   |
 * | try-out           | `try-out/<hash of the token>`              | the token   |
 * | admin-sign-in     | `admin-sign-in/<id>/<hash of the token>`   | the token   |
 * | admin-invitation  | `admin-invitation/<id>/<hash of the token>`| the token   |
 * | admin-secret-used | `admin-secret-used/<session>/<owner>`      | none        |
 * | second-factor-locked | `second-factor-locked/<id>/<until>/<owner>` | none     |
 * | account-deletion  | `account-deletion/<request>`               | the token   |
 * | address-change    | `address-change/<request>/<mailbox>`       | the token   |
 * | address-changed   | `address-changed/<change>/<mailbox>`       | none        |
 * | owner-alert       | `owner-alert/<owner>/<episode>/<round>`    | none        |
 * | expiry-reminder   | `expiry-reminder/<key id>/<expiry>/<days>` | none        |
 * | plan-ending       | `plan-ending/<key id>/<change of plan>`    | none        |
 * | ea-offline        | `ea-offline/<subscription id>/<last seen>` | none        |
 * | webhook-paused    | `webhook-paused/<endpoint>/<delivery>/<n>` | none        |
 * | channel-paused    | `channel-paused/<recipient>/<turn>`        | none        |
 * | model-changed     | `model-changed/<subscription id>/<change>` | none        |
 * | notice            | `notice/<notice>/<subscription id>`        | none        |
 *
 * A payment that was moved to another subscriber has `renewed/<invoice id>/<subscription id>`, a test mail
 * `test/<uuid>`, and a mail that is sent again the former key with `/again`.
 */
export interface MailToQueue<K extends MailKind> {
  kind: K;
  /** Identifies the cause of the mail: a second mail with the same key is not queued. */
  dedupeKey: string;
  subscriptionId: number | null;
  /** The address as its owner wrote it. */
  recipient: string;
  props: MailPropsByKind[K];
  /** A key or token. Stored only in the encrypted column, which is cleared once the mail is sent. */
  secret?: string;
}

export interface QueueMailResult {
  /** false: a mail with this `dedupeKey` exists already. */
  queued: boolean;
  mailId: number | null;
}

/**
 * Queues a mail in the caller's transaction, so that it exists only if its cause does, and wakes the worker at
 * commit. Nothing is sent here.
 */
export async function queueMail<K extends MailKind>(
  tx: DatabaseHandle,
  mail: MailToQueue<K>,
): Promise<QueueMailResult> {
  const mailId = await insertMail(tx, asRow(mail));
  return { queued: mailId !== null, mailId };
}

/**
 * Queues those mails whose `dedupeKey` has no mail yet. One query checks all of them, for jobs that find the same
 * causes every minute. Returns the number of new mails.
 */
export async function queueMails<K extends MailKind>(
  handle: DatabaseHandle,
  mails: readonly MailToQueue<K>[],
): Promise<number> {
  if (mails.length === 0) return 0;
  const mailed = await listStoredDedupeKeys(
    handle,
    mails.map(({ dedupeKey }) => dedupeKey),
  );
  return insertMails(handle, mails.filter(({ dedupeKey }) => !mailed.has(dedupeKey)).map(asRow));
}

const asRow = <K extends MailKind>({ secret, ...mail }: MailToQueue<K>): NewMail => ({
  ...mail,
  secretEncrypted: secret === undefined ? null : encrypt(secret),
});
