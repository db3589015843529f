import { randomBytes } from "node:crypto";
import type { Database, Transaction } from "@/db/client";
import {
  countRecentAccountRequests,
  expireAddressChanges,
  findAccountRequest,
  insertAccountRequest,
  lockAccountRequest,
  readPersonIdentifiers,
  replaceAddress,
  updateAccountRequest,
} from "@/db/queries/accounts";
import { lockBuyerAddresses } from "@/db/queries/payments";
import { getSubscription, lockSubscription } from "@/db/queries/subscriptions";
import { KINDS_KEEPING_THEIR_RECIPIENT } from "@/lib/outbound/mail/kinds";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { sha256 } from "@/lib/runtime/secrets";
import type { AccountRequestKind } from "@/lib/vocabulary";
import { normalizeEmail } from "@/lib/wire/email";
import { AppError, invalidField } from "@/lib/wire/errors";
import { deleteAccount } from "./delete-account";

/** Minutes for which a mailed link of an account request is valid. */
export const ACCOUNT_LINK_MINUTES = 60;
/** Requests per subscription and day, because a request can send mail to a stranger's address. */
const REQUESTS_A_DAY = 5;

type Subscription = Awaited<ReturnType<typeof getSubscription>>;

/**
 * Mails the link that deletes the account. Returns false, and does nothing, if the subscription has no address.
 * Throws rate_limited.
 */
export async function requestDeletion(
  database: Database,
  subscriptionId: number,
  actor: Actor,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const subscription = await begin(tx, subscriptionId);
    const { email, userName } = subscription;
    if (email === null) return false;
    const token = newToken();
    const requestId = await insertAccountRequest(tx, {
      subscriptionId,
      kind: "delete",
      tokenHash: sha256(token),
      minutes: ACCOUNT_LINK_MINUTES,
    });
    await recordRequest(tx, subscriptionId, "delete", actor);
    await queueMail(tx, {
      kind: "account-deletion",
      dedupeKey: `account-deletion/${requestId}`,
      subscriptionId,
      recipient: email,
      props: { userName, expiresMinutes: ACCOUNT_LINK_MINUTES },
      secret: token,
    });
    return true;
  });
}

/**
 * Mails one link to the present mailbox and one to the new one: the address changes once both are used. Throws
 * 422 for an unchanged address, rate_limited, and conflict without a present address: a stolen key must not
 * suffice to bind an account to a mailbox or to mail strangers.
 */
export async function requestAddressChange(
  database: Database,
  { subscriptionId, newEmail }: { subscriptionId: number; newEmail: string },
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const { email, emailNormalized, userName } = await begin(tx, subscriptionId);
    if (email === null)
      throw new AppError("conflict", {
        detail: "This subscription has no address. Ask us to add one.",
      });
    if (normalizeEmail(newEmail) === emailNormalized)
      throw invalidField("body", "new_email", "is your present address");
    const [present, fresh] = [newToken(), newToken()];
    const requestId = await insertAccountRequest(tx, {
      subscriptionId,
      kind: "address",
      newEmail,
      tokenHash: sha256(present),
      newTokenHash: sha256(fresh),
      minutes: ACCOUNT_LINK_MINUTES,
    });
    await recordRequest(tx, subscriptionId, "address", actor);
    const order = { kind: "address-change", subscriptionId } as const;
    const facts = { userName, expiresMinutes: ACCOUNT_LINK_MINUTES };
    await queueMail(tx, {
      ...order,
      dedupeKey: `address-change/${requestId}/present`,
      recipient: email,
      props: { ...facts, isNew: false },
      secret: present,
    });
    await queueMail(tx, {
      ...order,
      dedupeKey: `address-change/${requestId}/new`,
      recipient: newEmail,
      props: { ...facts, isNew: true },
      secret: fresh,
    });
  });
}

/** Cancels an open change of the address: its mailed links no longer work. Returns whether there was one. */
export function cancelAddressChange(
  database: Database,
  subscriptionId: number,
  actor: Actor,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    if (!(await expireAddressChanges(tx, subscriptionId))) return false;
    await recordAudit(tx, {
      actor,
      action: "account.cancel_address",
      target: `subscription/${subscriptionId}`,
      subscriptionId,
    });
    return true;
  });
}

/** What a mailed link would do, without doing it; null if the link is unknown, used or expired. */
export async function readAccountLink(database: Database, token: string) {
  const found = await findAccountRequest(database, sha256(token));
  return found && { kind: found.kind, side: found.side, newEmail: found.newEmail };
}

export type AccountLinkEffect = "worthless" | "deleted" | "waits_for_other" | "address_changed";

/**
 * Uses up a mailed link and carries out its request. An address changes only once the link to the other mailbox is
 * used, too (`waits_for_other`). `worthless`: the link is unknown, used or expired.
 */
export async function confirmAccountLink(
  database: Database,
  token: string,
  origin: { address: string; requestId: string },
): Promise<AccountLinkEffect> {
  const claimed = await database.transaction(async (tx) => {
    const request = await lockAccountRequest(tx, sha256(token));
    if (!request) return null;
    const actor: Actor = { kind: "subscriber", subscriptionId: request.subscriptionId, ...origin };
    await updateAccountRequest(tx, request.id, { confirmed: request.side });
    if (request.kind === "delete") return { effect: "deleted", actor, ...request } as const;
    const isComplete = (request.side === "present" ? request.newConfirmedAt : request.confirmedAt) !== null;
    if (!isComplete || request.newEmail === null)
      return { effect: "waits_for_other", actor, ...request } as const;
    await changeAddress(tx, { ...request, newEmail: request.newEmail }, actor);
    return { effect: "address_changed", actor, ...request } as const;
  });
  if (claimed === null) return "worthless";
  if (claimed.effect === "deleted") await deleteAccount(database, claimed.subscriptionId, claimed.actor);
  return claimed.effect;
}

/**
 * Changes the address, once both mailboxes have confirmed. Sign-in and mails then use the new address; payments find the
 * buyer by either address.
 */
async function changeAddress(
  tx: Transaction,
  { id, subscriptionId, newEmail }: { id: number; subscriptionId: number; newEmail: string },
  actor: Actor,
): Promise<void> {
  const { email, emailNormalized: former, userName } = await getSubscription(tx, subscriptionId);
  const emailNormalized = normalizeEmail(newEmail);
  await lockBuyerAddresses(tx, [former ?? emailNormalized, emailNormalized]);
  const { subscriptionIds } = await readPersonIdentifiers(tx, subscriptionId);
  for (const own of subscriptionIds) await lockSubscription(tx, own);
  await replaceAddress(tx, {
    subscriptionIds,
    former,
    email: newEmail,
    emailNormalized,
    keep: KINDS_KEEPING_THEIR_RECIPIENT,
  });
  await updateAccountRequest(tx, id, { done: true, newEmail: null });
  for (const own of subscriptionIds)
    await recordAudit(tx, {
      actor,
      action: "account.change_address",
      target: `subscription/${own}`,
      subscriptionId: own,
    });
  for (const recipient of [email, newEmail])
    if (recipient !== null)
      await queueMail(tx, {
        kind: "address-changed",
        dedupeKey: `address-changed/${id}/${recipient === newEmail ? "new" : "former"}`,
        subscriptionId,
        recipient,
        props: { userName, isNew: recipient === newEmail },
      });
}

/** Locks and returns the subscription. Throws rate_limited after its daily number of requests. */
async function begin(tx: Transaction, subscriptionId: number): Promise<Subscription> {
  await lockSubscription(tx, subscriptionId);
  if ((await countRecentAccountRequests(tx, subscriptionId)) >= REQUESTS_A_DAY)
    throw new AppError("rate_limited", {
      detail: `At most ${REQUESTS_A_DAY} such requests a day. Use the newest mail, or try again tomorrow.`,
    });
  return getSubscription(tx, subscriptionId);
}

function recordRequest(
  tx: Transaction,
  subscriptionId: number,
  kind: AccountRequestKind,
  actor: Actor,
): Promise<void> {
  return recordAudit(tx, {
    actor,
    action: `account.request_${kind}`,
    target: `subscription/${subscriptionId}`,
    subscriptionId,
  });
}

const newToken = () => randomBytes(32).toString("base64url");
