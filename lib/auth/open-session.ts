import type { Database } from "@/db/client";
import { insertSession } from "@/db/queries/sessions";
import { consumeSignInToken } from "@/db/queries/sign-in-links";
import { listOwnSubscriptions } from "@/db/queries/subscriptions";
import { ensureUserByEmail, ensureUserBySubscription } from "@/db/queries/users";
import { isKeyShaped, tidyKey } from "@/lib/access/keys/key-text";
import { lookUpKey } from "@/lib/access/keys/look-up";
import { countWrongKey, hasSentTooManyWrongKeys } from "@/lib/access/limits/wrong-keys";
import { env } from "@/lib/runtime/env";
import { sameSecret, sha256 } from "@/lib/runtime/secrets";
import { newSessionToken, SESSION_DAYS, sessionTokenHash } from "./session-token";

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

/** Uses a mailed link up and opens a session for its address. A used, expired or invented one opens nothing. */
export async function openSessionByLink(
  database: Database,
  token: string,
  visitor: Visitor,
): Promise<SignInOutcome> {
  if (hasSentTooManyWrongKeys(visitor.address)) return { ok: false, reason: "too_many_attempts" };
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
  countWrongKey(visitor.address);
  return { ok: false, reason: "link_invalid" };
}

/** Opens a session for whoever holds a key in force: it shows that key's subscription and ends with the key. */
export async function openSessionByKey(
  database: Database,
  sent: string,
  visitor: Visitor,
): Promise<SignInOutcome> {
  if (hasSentTooManyWrongKeys(visitor.address)) return { ok: false, reason: "too_many_attempts" };
  const apiKey = tidyKey(sent);
  const owner = env().ownerApiKey;
  // Looked up in any case: a malformed key takes the same way as an unknown one.
  const { key } = await lookUpKey(sha256(apiKey));
  if (owner !== null && sameSecret(apiKey, owner)) return openHoldersSession(database, OWNER, true, visitor);
  if (!key || !isKeyShaped(apiKey)) {
    countWrongKey(visitor.address);
    return { ok: false, reason: "key_invalid" };
  }
  if (key.state !== "live") return { ok: false, reason: "key_ended" };
  return openHoldersSession(database, key, false, visitor);
}

/** The owner's key stands in the environment: subscription and key 0 stand for it. */
const OWNER = { subscriptionId: 0, keyId: 0 };

async function openHoldersSession(
  database: Database,
  { subscriptionId, keyId }: { subscriptionId: number; keyId: number },
  isOwner: boolean,
  visitor: Visitor,
): Promise<SignInOutcome> {
  const sessionToken = newSessionToken();
  const userId = await database.transaction(async (tx) => {
    const id = await ensureUserBySubscription(tx, subscriptionId);
    await insertSession(tx, {
      tokenHash: sessionTokenHash(sessionToken, isOwner),
      userId: id,
      subscriptionId,
      keyId,
      ...visitor,
      lifetimeDays: SESSION_DAYS,
    });
    return id;
  });
  return { ok: true, userId, sessionToken };
}
