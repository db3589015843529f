import type { Database } from "@/db/client";
import {
  consumeSignInToken,
  ensureUserByEmail,
  ensureUserBySubscription,
  insertSession,
  listOwnSubscriptions,
} from "@/db/queries/portal-sessions";
import { env } from "../env";
import { lookUpKey } from "../key-lookup";
import { sameSecret, sha256 } from "../secrets";
import { newSessionToken, SESSION_DAYS, sessionTokenHash } from "./session-token";
import { hasFailedTooOften, noteFailedAttempt } from "./sign-in-limits";

/** The browser that signs in, as far as it tells. */
export interface Visitor {
  address: string;
  client: string | null;
}

/** Why nobody was signed in. */
export type SignInRefusal = "link_invalid" | "key_invalid" | "key_ended" | "too_many_attempts";

export type SignInOutcome =
  | { ok: true; userId: string; sessionToken: string }
  | { ok: false; reason: SignInRefusal };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Uses a mailed link up and opens a session for its address. A used, expired or invented one opens nothing. */
export async function openSessionByLink(
  database: Database,
  token: string,
  visitor: Visitor,
): Promise<SignInOutcome> {
  if (hasFailedTooOften(visitor.address)) return { ok: false, reason: "too_many_attempts" };
  const opened = await database.transaction(async (tx) => {
    const emailNormalized = await consumeSignInToken(tx, sha256(token));
    if (emailNormalized === null) return null;
    const userId = await ensureUserByEmail(tx, emailNormalized);
    const own = await listOwnSubscriptions(tx, { emailNormalized, ownSubscriptionId: null });
    const live = own.filter((subscription) => subscription.state === "live");
    // Someone with several chooses; with one, or only ended ones, there is nothing to choose.
    const shown = live.length > 1 ? null : (live[0] ?? own[0] ?? null);
    const sessionToken = newSessionToken();
    await insertSession(tx, {
      tokenHash: sessionTokenHash(sessionToken, false),
      userId,
      subscriptionId: shown?.subscriptionId ?? null,
      keyId: null,
      ...visitor,
      lifetimeDays: SESSION_DAYS,
    });
    return { userId, sessionToken };
  });
  if (opened) return { ok: true, ...opened };
  noteFailedAttempt(visitor.address);
  return { ok: false, reason: "link_invalid" };
}

/** Opens a session for whoever holds a key in force: it shows that key's subscription and ends with the key. */
export async function openSessionByKey(
  database: Database,
  sent: string,
  visitor: Visitor,
): Promise<SignInOutcome> {
  if (hasFailedTooOften(visitor.address)) return { ok: false, reason: "too_many_attempts" };
  const apiKey = sent.replace(/[\s"']/g, "").toLowerCase();
  const owner = env().ownerApiKey;
  const isOwner = owner !== null && sameSecret(apiKey, owner);
  // Looked up in any case: a malformed key takes the same way as an unknown one.
  const { key } = await lookUpKey(sha256(apiKey));
  if (!isOwner && (!key || !UUID.test(apiKey))) {
    noteFailedAttempt(visitor.address);
    return { ok: false, reason: "key_invalid" };
  }
  if (!isOwner && key?.state !== "live") return { ok: false, reason: "key_ended" };
  const subscriptionId = isOwner ? 0 : (key?.subscriptionId ?? 0);
  const sessionToken = newSessionToken();
  const userId = await database.transaction(async (tx) => {
    const id = await ensureUserBySubscription(tx, subscriptionId);
    await insertSession(tx, {
      tokenHash: sessionTokenHash(sessionToken, isOwner),
      userId: id,
      subscriptionId,
      keyId: isOwner ? 0 : (key?.keyId ?? 0),
      ...visitor,
      lifetimeDays: SESSION_DAYS,
    });
    return id;
  });
  return { ok: true, userId, sessionToken };
}
