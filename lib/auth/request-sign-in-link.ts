import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Database, Transaction } from "@/db/client";
import {
  findMailRecipient,
  findRepeatableSignInLink,
  insertSignInToken,
  lockSignInLinks,
  recordSignInLinkMail,
} from "@/db/queries/sign-in-links";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { decrypt, encrypt, sha256 } from "@/lib/runtime/secrets";
import { normalizeEmail } from "@/lib/wire/email";
import { MAILS_PER_LINK, SIGN_IN_LINKS_PER_HOUR } from "./sign-in-limits";

export const SIGN_IN_LINK_MINUTES = 10;

/** A link is mailed again only if it is valid for more than this many more minutes. Otherwise a new one is created. */
const WORTH_MAILING_MINUTES = 3;

/**
 * Shortest response time in ms, meant to be longer than the work takes, so that the time does not reveal whether the
 * address is known.
 */
const ANSWER_AFTER_MS = 300;

/**
 * Mails a sign-in link to an address with a subscription. The link leads to `next`, a page of the portal, and works in
 * any browser. While a link is valid for more than three more minutes, the same one is mailed again, up to three times
 * in all. A stranger's requests invalidate no link. The caller learns nothing: known, unknown and rate-limited
 * addresses end alike.
 */
export async function requestSignInLink(
  database: Database,
  { email, network, next }: { email: string; network: string; next: string | undefined },
): Promise<void> {
  await Promise.all([queueLink(database, normalizeEmail(email), network, next), pause(ANSWER_AFTER_MS)]);
}

async function queueLink(
  database: Database,
  emailNormalized: string,
  network: string,
  next: string | undefined,
): Promise<void> {
  await database.transaction(async (tx) => {
    await lockSignInLinks(tx, emailNormalized);
    const mailbox = await findMailRecipient(tx, emailNormalized);
    // An unknown address gets a row too, so that work and limits do not reveal whether it is known.
    const link = (await repeatLink(tx, emailNormalized)) ?? (await makeLink(tx, emailNormalized, network));
    if (link === "enough" || !mailbox) return;
    await queueMail(tx, {
      kind: "sign-in",
      dedupeKey: `sign-in/${sha256(link.token)}/${link.nMails}`,
      subscriptionId: mailbox.subscriptionId,
      recipient: mailbox.email,
      props: { expiresMinutes: link.minutesLeft, ...(next ? { next } : {}) },
      secret: link.token,
    });
  });
}

/** A link to mail, or "enough" if it was mailed often enough or the network has requested too many links. */
type LinkToMail = { token: string; nMails: number; minutesLeft: number } | "enough";

/** The link that can be mailed again, counted as mailed once more; null: there is none, or it cannot be decrypted. */
async function repeatLink(tx: Transaction, emailNormalized: string): Promise<LinkToMail | null> {
  const valid = await findRepeatableSignInLink(tx, emailNormalized, WORTH_MAILING_MINUTES);
  if (valid === null) return null;
  // The link is in the mailbox several times already.
  if (valid.nMails >= MAILS_PER_LINK) return "enough";
  const token = readToken(valid.tokenEncrypted);
  if (token === null) return null;
  await recordSignInLinkMail(tx, valid.tokenHash);
  return { token, nMails: valid.nMails + 1, minutesLeft: valid.minutesLeft };
}

/** Decrypts a link's token; null: no configured key decrypts it, so that a new link is needed. */
function readToken(sealed: string): string | null {
  try {
    return decrypt(sealed);
  } catch {
    return null;
  }
}

async function makeLink(tx: Transaction, emailNormalized: string, network: string): Promise<LinkToMail> {
  const token = randomBytes(32).toString("base64url");
  const recorded = await insertSignInToken(tx, {
    tokenHash: sha256(token),
    tokenEncrypted: encrypt(token),
    emailNormalized,
    network,
    lifetimeMinutes: SIGN_IN_LINK_MINUTES,
    limit: SIGN_IN_LINKS_PER_HOUR,
  });
  return recorded ? { token, nMails: 1, minutesLeft: SIGN_IN_LINK_MINUTES } : "enough";
}
