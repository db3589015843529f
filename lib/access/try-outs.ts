import { createHmac } from "node:crypto";
import type { Database } from "@/db/client";
import { insertSubscriptionWithKey } from "@/db/queries/key-changes";
import { insertPaidTime } from "@/db/queries/paid-time";
import { lockBuyerAddress } from "@/db/queries/payments";
import { findMailRecipient } from "@/db/queries/sign-in-links";
import { hadTryOut, insertTryOut } from "@/db/queries/try-outs";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { env } from "@/lib/runtime/env";
import { isSigned, sha256, signText } from "@/lib/runtime/secrets";
import { addDays, addHours, HOUR_MS } from "@/lib/time";
import { PLACEHOLDER_NAMES, type PlanTier } from "@/lib/vocabulary";
import { normalizeEmail } from "@/lib/wire/email";
import { newKey } from "./keys/new-key";
import { paidTimeToAddUntil } from "./keys/paid-time-of-keys";
import { queueKeyMail } from "./keys/queue-key-mail";
import { recordAttempt } from "./limits/attempt-limits";

/** Purpose for which the link is signed, so that no other signed text is valid as a link. */
const LINK = "try-out";

/** Hours for which the mailed link is valid. */
export const TRY_OUT_LINK_HOURS = 24;

const LINKS_PER_HOUR_AND_ADDRESS = 3;
const LINKS_PER_HOUR_AND_NETWORK = 5;
/** Limit for all visitors together, because each request may send a mail to a stranger's address. */
const LINKS_PER_HOUR = 200;

/**
 * Counts a request for a try-out from a network. Returns false if the network has sent more than 5, or all visitors
 * together more than 200, within an hour.
 */
export async function recordTryOutRequest(network: string): Promise<boolean> {
  for (const [who, limit] of [
    [`try-out:network:${network}`, LINKS_PER_HOUR_AND_NETWORK],
    ["try-out:all", LINKS_PER_HOUR],
  ] as const)
    if (!(await recordAttempt(who, { limit, windowMs: HOUR_MS })).allowed) return false;
  return true;
}

/**
 * Mails a link to a try-out key, unless the address has a subscription or has had a try-out, or this is more than the
 * third request for it within an hour. The link contains the address and is signed, so that nothing is stored until
 * the visitor confirms. Returns nothing, so as not to reveal known addresses.
 */
export async function requestTryOut(database: Database, email: string, now: Date): Promise<void> {
  const emailNormalized = normalizeEmail(email);
  const guard = { limit: LINKS_PER_HOUR_AND_ADDRESS, windowMs: HOUR_MS } as const;
  if (!(await recordAttempt(`try-out:${emailNormalized}`, guard)).allowed) return;
  await database.transaction(async (tx) => {
    if ((await findMailRecipient(tx, emailNormalized)) || (await hadTryOut(tx, hashesOf(emailNormalized))))
      return;
    const token = writeToken(email, now);
    await queueMail(tx, {
      kind: "try-out",
      dedupeKey: `try-out/${sha256(token)}`,
      subscriptionId: null,
      recipient: email,
      props: { expiresHours: TRY_OUT_LINK_HOURS },
      secret: token,
    });
  });
}

/**
 * Mails a try-out key to a confirmed address, once per address. Creates subscription, key and mail in one transaction.
 * `known`: the address has a subscription or has had a try-out.
 */
export async function confirmTryOut(
  database: Database,
  token: string,
  offer: { planTier: PlanTier; delayCandles: number; days: number },
  from: { address: string; requestId: string },
  now: Date,
): Promise<"mailed" | "known" | "invalid"> {
  const email = emailOfTryOutLink(token, now);
  if (email === null) return "invalid";
  const emailNormalized = normalizeEmail(email);
  const hashes = hashesOf(emailNormalized);
  return database.transaction(async (tx) => {
    // Serialises repeated confirmations and payments with the same address.
    await lockBuyerAddress(tx, emailNormalized);
    if ((await findMailRecipient(tx, emailNormalized)) || (await hadTryOut(tx, hashes))) return "known";

    const { planTier, delayCandles, days } = offer;
    const userName = PLACEHOLDER_NAMES.visitor;
    const expiresAt = addDays(now, days);
    const { apiKey, keyHash, hint } = newKey();
    const { subscriptionId, keyId } = await insertSubscriptionWithKey(
      tx,
      { userName, email, emailNormalized },
      { keyHash, hint, planTier, expiresAt, delayCandles },
    );
    await insertTryOut(tx, { addressHash: hashes[0], subscriptionId });
    await insertPaidTime(tx, [
      { ...paidTimeToAddUntil("gift", planTier, now, expiresAt), subscriptionId, keyId },
    ]);
    const owner = { subscriptionId, userName, email };
    await queueKeyMail(tx, { keyId, apiKey, planTier, expiresAt, owner, delayCandles });
    const actor: Actor = { kind: "subscriber", subscriptionId, ...from };
    await recordAudit(tx, {
      actor,
      action: "key.issue",
      target: `key/${keyId}`,
      subscriptionId,
      details: { planTier, expiresAt: expiresAt.toISOString(), delayCandles },
    });
    return "mailed";
  });
}

/** The address of a mailed link; null: not signed by this service, or expired. */
export function emailOfTryOutLink(token: string, now: Date): string | null {
  const [, payload = "", signed = ""] = /^([\w-]{1,800})\.([\w-]{43})$/.exec(token) ?? [];
  if (!isSigned(LINK, payload, signed)) return null;
  const [endsMs, email] = JSON.parse(Buffer.from(payload, "base64url").toString()) as [number, string];
  return endsMs > now.getTime() ? email : null;
}

function writeToken(email: string, now: Date): string {
  const content = JSON.stringify([addHours(now, TRY_OUT_LINK_HOURS).getTime(), email]);
  const payload = Buffer.from(content).toString("base64url");
  return `${payload}.${signText(LINK, payload)}`;
}

/**
 * Hashes of an address under the current encryption key and, after it, the others that are configured. Keyed, because an
 * unkeyed hash of an address can be guessed. After a replaced key is removed, an address from before can have another try-out
 * only if no subscription has it any more.
 */
function hashesOf(emailNormalized: string): [string, ...string[]] {
  const [current, ...others] = env().encryptionKeys;
  const hash = ({ secret }: { secret: string }) =>
    createHmac("sha256", `try-out-address:${secret}`).update(emailNormalized).digest("hex");
  return [hash(current), ...others.map(hash)];
}
