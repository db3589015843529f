import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@/db/client";
import { findHead } from "@/db/queries/ledger";
import {
  type LeasedMail,
  leaseDueMail,
  markMailDead,
  markMailForRetry,
  markMailSent,
} from "@/db/queries/mail";
import { brand } from "@/lib/runtime/brand";
import { env } from "@/lib/runtime/env";
import { errorFacts, log } from "@/lib/runtime/log";
import { processWide } from "@/lib/runtime/process-wide";
import { decrypt } from "@/lib/runtime/secrets";
import { MINUTE_MS } from "@/lib/time";
import { declineToken } from "./declining";
import { MAIL_KINDS } from "./kinds";
import { oneClickUrl } from "./links";
import { mailTransport } from "./mail-transport";
import { MissingSecretError } from "./missing-secret-error";
import type { RenderedMail } from "./render-mail";
import { renderStored } from "./render-stored";
import { GIVE_UP_AFTER_MS, retryDelayMs } from "./retry-delay";
import type { MailTransport, SendOutcome } from "./transport";

/** Longer than any transport takes, so that a mail in hand is never taken by another worker. */
const LEASE_SECONDS = 60;

/** When the transport may be used next, on the monotonic clock. */
const rhythm = () => processWide("mail-rhythm", () => ({ nextSendAtMs: 0 }));

/** Mails that the provider took and the table does not know yet, with the transport that they left by. */
const unrecorded = () => processWide("mail-sent-unrecorded", () => new Map<number, string>());

/**
 * Sends everything that is due, one mail after the other, the most urgent first; returns how many were handled. Ends
 * early when `signal` aborts.
 *
 * A mail is sent at least once. What was sent and could not be recorded is recorded before anything else is sent, so
 * that it goes out twice only when this process dies, or another one leads, in between; the second one carries the same idempotency key and Message-ID.
 */
export async function deliverDueMail(
  database: Database,
  signal: AbortSignal,
  transport: MailTransport = mailTransport(),
): Promise<number> {
  await recordSent(database);
  for (let handled = 0; ; handled++) {
    if (!(await takeTurn(signal))) return handled;
    const mail = await leaseDueMail(database, MAIL_KINDS, LEASE_SECONDS);
    if (!mail) return handled;
    const outcome = await attempt(database, mail, transport);
    await settle(database, mail, outcome, transport);
  }
}

/** Waits for the next place in the transport's pace. false: the worker stops. */
async function takeTurn(signal: AbortSignal): Promise<boolean> {
  const waitMs = rhythm().nextSendAtMs - performance.now();
  if (waitMs > 0) await pause(waitMs, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}

async function attempt(database: Database, mail: LeasedMail, transport: MailTransport): Promise<SendOutcome> {
  if (mail.kind === "sign-in" && isPastPatience(mail)) return { result: "refused", code: "link_expired" };
  const token = declineToken(mail.kind, mail.subscriptionId);
  let rendered: RenderedMail;
  try {
    // As of the mail's own time, so that a repetition has the same bytes. In mails that come again and again.
    const isWitness = token !== null && env().publicRecord;
    const ledgerHead = isWitness ? await findHead(database, mail.createdAt) : null;
    rendered = await renderStored(mail, mail.secretEncrypted && decrypt(mail.secretEncrypted), {
      declineToken: token,
      ledgerHead,
    });
  } catch (error) {
    log("error", "a mail could not be written", {
      mailId: mail.id,
      kind: mail.kind,
      error: errorFacts(error),
    });
    if (error instanceof MissingSecretError) return { result: "refused", code: "secret_wiped" };
    return { result: "retry", code: "not_written" };
  }
  rhythm().nextSendAtMs = performance.now() + 1000 / transport.maxPerSecond;
  return transport.send({
    mailId: mail.id,
    kind: mail.kind,
    from: brand().mailFrom,
    to: mail.recipient,
    unsubscribeUrl: token === null ? null : oneClickUrl(env().baseUrl, token),
    ...rendered,
  });
}

async function recordSent(database: Database): Promise<void> {
  for (const [mailId, transport] of unrecorded()) {
    await markMailSent(database, mailId, transport);
    unrecorded().delete(mailId);
  }
}

async function settle(
  database: Database,
  mail: LeasedMail,
  outcome: SendOutcome,
  transport: MailTransport,
): Promise<void> {
  const facts = { mailId: mail.id, kind: mail.kind, attempt: mail.attempts };
  if (outcome.result === "sent") {
    unrecorded().set(mail.id, transport.name);
    await recordSent(database);
    log("info", "mail sent", facts);
    return;
  }
  const failure = { code: outcome.code, transport: transport.name };
  if (outcome.result === "refused" || isPastPatience(mail)) {
    // An expired link is of no use and is given up; a key can still go to a corrected address.
    await markMailDead(database, mail, { ...failure, wipeSecret: mail.kind === "sign-in" });
    log("error", "mail given up", { ...facts, reason: outcome.code });
    return;
  }
  const { retryAfterSeconds } = outcome;
  const delayMs = retryDelayMs(mail.attempts, retryAfterSeconds, Math.random());
  if (retryAfterSeconds !== undefined) {
    // Retry-After delays every mail of this transport, not only this one.
    rhythm().nextSendAtMs = performance.now() + Math.min(retryAfterSeconds, LEASE_SECONDS) * 1000;
  }
  await markMailForRetry(database, mail, { ...failure, delayMs });
  log("warn", "mail to be tried again", {
    ...facts,
    reason: outcome.code,
    seconds: Math.round(delayMs / 1000),
  });
}

/** Whether a mail has waited longer than it is worth. */
function isPastPatience(mail: LeasedMail): boolean {
  const { expiresMinutes } = mail.props;
  const isLink = mail.kind === "sign-in" && typeof expiresMinutes === "number";
  const patienceMs = isLink ? expiresMinutes * MINUTE_MS : GIVE_UP_AFTER_MS;
  return Date.now() - mail.createdAt.getTime() > patienceMs;
}
