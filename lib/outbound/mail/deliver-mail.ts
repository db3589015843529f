import type { Database } from "@/db/client";
import { findLedgerHead } from "@/db/queries/ledger";
import {
  type LeasedMail,
  leaseDueMail,
  markMailDead,
  markMailForRetry,
  markMailSent,
} from "@/db/queries/mail";
import { type Channel, deliverDueItems, type SendResult } from "@/lib/outbound/channel";
import { brand } from "@/lib/runtime/brand";
import { env } from "@/lib/runtime/env";
import { errorFacts, log } from "@/lib/runtime/log";
import { processWide } from "@/lib/runtime/process-wide";
import { decrypt } from "@/lib/runtime/secrets";
import { cachedSetting } from "@/lib/settings/cached-settings";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "@/lib/time";
import { MAIL_KINDS, newLinkHint } from "./kinds";
import { oneClickUnsubscribeUrl } from "./links";
import { mailTransport } from "./mail-transport";
import { MissingMailSecretError } from "./missing-secret-error";
import type { RenderedMail } from "./render-mail";
import { renderStoredMail } from "./render-stored";
import { MAIL_GIVE_UP_AFTER_MS, mailRetryDelayMs } from "./retry-delay";
import type { MailTransport } from "./transport";
import { unsubscribeToken } from "./unsubscribe";

/** Longer than a send normally takes, so that no other worker takes the mail meanwhile. */
const LEASE_SECONDS = 60;

/** Sent mails whose outcome could not be stored yet, with their transport. */
const unrecorded = () => processWide("mail-sent-unrecorded", () => new Map<number, string>());

/**
 * Sends all due mails one after the other, the most urgent first; returns the number of sends. Ends early when
 * `signal` aborts.
 *
 * Delivery is at least once. A mail whose outcome could not be stored is settled before anything else is sent, so it
 * is sent twice only if this process dies, or another worker takes over, in between; the duplicate has the same
 * idempotency key and Message-ID.
 */
export const deliverDueMail = (
  database: Database,
  signal: AbortSignal,
  transport: MailTransport = mailTransport(),
): Promise<number> => deliverDueItems(mailChannel(database, transport), signal);

const mailChannel = (database: Database, transport: MailTransport): Channel<LeasedMail, RenderedMail> => ({
  name: "mail",
  lanes: [1],
  gapMs: SECOND_MS / transport.maxPerSecond,
  async lease() {
    await recordSent(database);
    const mail = await leaseDueMail(database, MAIL_KINDS, LEASE_SECONDS);
    return mail ? [mail] : [];
  },
  write: (mail) => write(database, mail),
  send: (mail, rendered) => send(mail, rendered, transport),
  retryMs: (mail, { retryAfterSeconds }) =>
    isPastMaxAge(mail)
      ? null
      : mailRetryDelayMs(mail.attempts, retryAfterSeconds ?? undefined, Math.random()),
  async settle(mail, end) {
    const facts = { mailId: mail.id, kind: mail.kind, attempt: mail.attempts };
    if (end.state === "sent") {
      unrecorded().set(mail.id, transport.name);
      await recordSent(database);
      log("info", "mail sent", facts);
      return;
    }
    const failure = { code: end.code, transport: transport.name };
    if (end.state !== "pending") {
      // A mail with a link is never sent again, so its secret is deleted. A key can still be sent, to a corrected
      // address.
      await markMailDead(database, mail, { ...failure, wipeSecret: newLinkHint(mail.kind) !== null });
      log("error", "mail given up", { ...facts, reason: end.code });
      return;
    }
    const { delayMs } = end;
    await markMailForRetry(database, mail, { ...failure, delayMs });
    log("warn", "mail will be retried", {
      ...facts,
      reason: end.code,
      seconds: Math.round(delayMs / 1000),
    });
  },
});

async function write(
  database: Database,
  mail: LeasedMail,
): Promise<{ message: RenderedMail } | { result: "dead" | "retry"; code: string }> {
  const { createdAt } = mail;
  if (Date.now() - createdAt.getTime() > linkLifeMs(mail)) return { result: "dead", code: "link_expired" };
  const token = unsubscribeToken(mail.kind, mail.subscriptionId);
  try {
    // The ledger's head when the mail was queued, so that a retry has the same bytes. Only mails with an
    // unsubscribe link contain it.
    const isWitness = token !== null && cachedSetting("public_record").isShown;
    const ledgerHead = isWitness ? await findLedgerHead(database, createdAt) : null;
    return {
      message: await renderStoredMail(mail, mail.secretEncrypted && decrypt(mail.secretEncrypted), {
        unsubscribeToken: token,
        ledgerHead,
      }),
    };
  } catch (error) {
    log("error", "could not render a mail", {
      mailId: mail.id,
      kind: mail.kind,
      error: errorFacts(error),
    });
    if (error instanceof MissingMailSecretError) return { result: "dead", code: "secret_wiped" };
    return { result: "retry", code: "not_written" };
  }
}

async function send(
  mail: LeasedMail,
  rendered: RenderedMail,
  transport: MailTransport,
): Promise<SendResult<never>> {
  const token = unsubscribeToken(mail.kind, mail.subscriptionId);
  const outcome = await transport.send({
    mailId: mail.id,
    kind: mail.kind,
    from: brand().mailFrom,
    to: mail.recipient,
    unsubscribeUrl: token === null ? null : oneClickUnsubscribeUrl(env().baseUrl, token),
    ...rendered,
  });
  if (outcome.result === "refused") return { result: "dead", code: outcome.code };
  if (outcome.result === "sent" || outcome.retryAfterSeconds === undefined) return outcome;
  // Retry-After delays every mail of this transport, not only this one.
  return { ...outcome, holdMs: Math.min(outcome.retryAfterSeconds, LEASE_SECONDS) * SECOND_MS };
}

async function recordSent(database: Database): Promise<void> {
  for (const [mailId, transport] of unrecorded()) {
    await markMailSent(database, mailId, transport);
    unrecorded().delete(mailId);
  }
}

/** Whether a mail is too old to be useful. */
function isPastMaxAge(mail: LeasedMail): boolean {
  return Date.now() - mail.createdAt.getTime() > Math.min(linkLifeMs(mail), MAIL_GIVE_UP_AFTER_MS);
}

/** How long the link in a mail works, from when the mail was queued; Infinity without such a link. */
function linkLifeMs({ kind, props: { expiresMinutes, expiresHours } }: LeasedMail): number {
  if (newLinkHint(kind) === null) return Number.POSITIVE_INFINITY;
  if (typeof expiresMinutes === "number") return expiresMinutes * MINUTE_MS;
  return typeof expiresHours === "number" ? expiresHours * HOUR_MS : Number.POSITIVE_INFINITY;
}
