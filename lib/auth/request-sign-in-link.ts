import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@/db/client";
import { findMailboxOf, insertSignInToken } from "@/db/queries/sign-in-links";
import { queueMail } from "@/lib/mail/queue-mail";
import { sha256 } from "@/lib/runtime/secrets";
import { normalizeEmail } from "@/lib/wire/email";
import { LINKS_PER_HOUR } from "./sign-in-limits";

export const LINK_MINUTES = 10;

/** Fixed time of an answer, longer than the work takes, so that the duration does not depend on the address. */
const ANSWER_AFTER_MS = 300;

/**
 * Queues a mail with a sign-in link when the address has a subscription; the link remembers `next`, a page of the
 * portal, and works in any browser. The caller learns nothing (decision 84): known and unknown addresses, and those
 * over the limit, end alike after the same time.
 */
export async function requestSignInLink(database: Database, email: string, next?: string): Promise<void> {
  await Promise.all([queueLink(database, normalizeEmail(email), next), pause(ANSWER_AFTER_MS)]);
}

async function queueLink(database: Database, emailNormalized: string, next?: string): Promise<void> {
  await database.transaction(async (tx) => {
    const token = randomBytes(32).toString("base64url");
    const tokenHash = sha256(token);
    const mailbox = await findMailboxOf(tx, emailNormalized);
    // An unknown address leaves a row as well, so that the work and the limit are the same.
    const recorded = await insertSignInToken(tx, {
      tokenHash,
      emailNormalized,
      lifetimeMinutes: LINK_MINUTES,
      limit: LINKS_PER_HOUR,
    });
    if (!recorded || !mailbox) return;
    await queueMail(tx, {
      kind: "sign-in",
      dedupeKey: `sign-in/${tokenHash}`,
      subscriptionId: mailbox.subscriptionId,
      recipient: mailbox.email,
      props: { expiresMinutes: LINK_MINUTES, ...(next ? { next } : {}) },
      secret: token,
    });
  });
}
