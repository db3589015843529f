import type { Database, DatabaseHandle, Transaction } from "@/db/client";
import {
  countMail,
  findMail,
  findNewestMail,
  insertMail,
  listMailRows,
  lockMail,
  type MailFilter,
  wipeMailSecret,
  wipeMailSecretsBefore,
} from "@/db/queries/mail";
import { getSubscription } from "@/db/queries/subscriptions";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { DAY_MS } from "@/lib/time";
import { AppError } from "@/lib/wire/errors";
import { KINDS_KEEPING_THEIR_RECIPIENT, KINDS_WITH_SECRET, type MailKind, newLinkHint } from "./kinds";
import type { RenderedMail } from "./render-mail";
import { renderStoredMail } from "./render-stored";

export type MailRow = Awaited<ReturnType<typeof listMailRows>>[number];

/** One page of the outbox, newest first, without secrets; `total` counts all matches. */
export async function listMail(
  handle: DatabaseHandle,
  filter: MailFilter & { limit: number; offset: number },
): Promise<{ total: number; mails: MailRow[] }> {
  const [total, mails] = await Promise.all([countMail(handle, filter), listMailRows(handle, filter)]);
  return { total, mails };
}

const HIDDEN = "****-hidden-****";

/** Renders a stored mail for an administrator, with the key or token hidden. Throws not_found. */
export async function previewMail(handle: DatabaseHandle, mailId: number): Promise<RenderedMail> {
  const mail = await findMail(handle, mailId);
  if (!mail || isEmptied(mail)) throw unknownMail();
  return renderStoredMail(mail, HIDDEN);
}

/**
 * Sends a mail again to its own recipient: the subscriber's current address, or the stored one if there is none or the
 * mail is about a changed address. Queues a new mail with the same content, once per mail, and returns its id. Throws
 * not_found, and 409 `conflict` while the mail is still waiting, if it was already sent again, if its content or key is
 * no longer stored, and for every mail with a link, which needs a new link instead.
 */
export async function resendMail(database: Database, mailId: number, actor: Actor): Promise<number> {
  return database.transaction(async (tx) => {
    const mail = await lockMail(tx, mailId);
    if (!mail) throw unknownMail();
    const instead = newLinkHint(mail.kind);
    if (instead !== null) throw new AppError("conflict", { detail: instead });
    if (isEmptied(mail)) throw new AppError("conflict", { detail: "The content of this mail was removed." });
    if (mail.status === "pending")
      throw new AppError("conflict", { detail: "This mail is still waiting to be sent." });
    // The cast is right: `queueMail` stored the kind.
    if (KINDS_WITH_SECRET.has(mail.kind as MailKind) && mail.secretEncrypted === null) {
      throw new AppError("conflict", {
        detail: "The key of this mail is no longer stored. Issue or rotate the key instead.",
      });
    }
    const recipient = await ownRecipient(tx, mail);
    const successorId = await insertMail(tx, {
      kind: mail.kind,
      dedupeKey: `${mail.dedupeKey}/again`,
      subscriptionId: mail.subscriptionId,
      recipient,
      props: mail.props,
      secretEncrypted: mail.secretEncrypted,
    });
    if (successorId === null) throw new AppError("conflict", { detail: "This mail was already sent again." });
    await wipeMailSecret(tx, mailId);
    await recordAudit(tx, {
      actor,
      action: "mail.resend",
      target: `mail/${successorId}`,
      subscriptionId: mail.subscriptionId,
      details: { formerMailId: mailId, addressCorrected: recipient !== mail.recipient },
    });
    return successorId;
  });
}

const KEY_MAILS = ["key-created", "key-rotated"] as const satisfies MailKind[];

/** Whether the newest mail with a key was given up and its key is still stored, so that it can be sent again. */
export async function canResendKeyMail(handle: DatabaseHandle, subscriptionId: number): Promise<boolean> {
  const newest = await findNewestMail(handle, subscriptionId, KEY_MAILS);
  return newest !== null && newest.status === "dead" && newest.holdsSecret;
}

/**
 * Sends a subscription's newest mail with a key again; returns the new mail's id. Throws 409 `conflict`, which suggests
 * alternatives, if there is no such mail, it still waits, or its key is no longer stored. A key is stored only until
 * its mail is sent, at most for a week.
 */
export async function resendKeyMail(
  database: Database,
  subscriptionId: number,
  actor: Actor,
): Promise<number> {
  const newest = await findNewestMail(database, subscriptionId, KEY_MAILS);
  if (newest === null)
    throw new AppError("conflict", {
      detail: "There is no mail with a key for this subscriber. Rotate the key: the new one is mailed.",
    });
  if (newest.status === "sent")
    throw new AppError("conflict", {
      detail:
        "The key was mailed and is no longer stored. Rotate the key: the new one is mailed, and the old one ends.",
    });
  return resendMail(database, newest.id, actor);
}

/**
 * Whether a mail that is sent again goes to its stored recipient, such as a former mailbox, not to the current address.
 */
export const keepsRecipient = (mail: { kind: string; subscriptionId: number | null }): boolean =>
  mail.subscriptionId === null || KINDS_KEEPING_THEIR_RECIPIENT.includes(mail.kind);

/** Recipient of a mail that is sent again. */
async function ownRecipient(
  tx: Transaction,
  mail: { kind: string; subscriptionId: number | null; recipient: string },
): Promise<string> {
  if (mail.subscriptionId === null || keepsRecipient(mail)) return mail.recipient;
  return (await getSubscription(tx, mail.subscriptionId)).email ?? mail.recipient;
}

/** Whether retention has removed the mail's recipient and content. */
const isEmptied = (mail: { recipient: string }) => mail.recipient === "";

function unknownMail(): AppError {
  return new AppError("not_found", { detail: "There is no mail with this id." });
}

const SECRET_LIFE_MS = 7 * DAY_MS;

/** Deletes keys and tokens of mails that were queued more than a week ago. Returns the number of mails. */
export async function wipeOldSecrets(handle: DatabaseHandle, now: Date): Promise<number> {
  return wipeMailSecretsBefore(handle, new Date(now.getTime() - SECRET_LIFE_MS));
}
