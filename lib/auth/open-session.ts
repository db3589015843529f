import type { Database } from "@/db/client";
import { insertSession } from "@/db/queries/sessions";
import { consumeSignInToken } from "@/db/queries/sign-in-links";
import { listSubscriptionsOfPerson } from "@/db/queries/subscriptions";
import { ensureUserByEmail, ensureUserBySubscription } from "@/db/queries/users";
import { cleanPastedKey, isKeyShaped } from "@/lib/access/keys/key-text";
import { lookUpKey } from "@/lib/access/keys/look-up";
import { recordWrongKey } from "@/lib/access/limits/wrong-keys";
import { env } from "@/lib/runtime/env";
import { isSameSecret, sha256 } from "@/lib/runtime/secrets";
import { newSessionToken, SESSION_DAYS, sessionTokenHash } from "./session-token";

/** Network address and user agent of the browser that signs in. */
export interface SignInVisitor {
  address: string;
  client: string | null;
}

export type SignInError = "link_invalid" | "key_invalid" | "key_ended" | "too_many_attempts";

export type SignInOutcome =
  | { ok: true; userId: string; sessionToken: string }
  | { ok: false; reason: SignInError };

/** Consumes a mailed link and opens a session for its address. Refuses a used, expired or unknown link. */
export async function openSessionByLink(
  database: Database,
  token: string,
  visitor: SignInVisitor,
): Promise<SignInOutcome> {
  const opened = await database.transaction(async (tx) => {
    const emailNormalized = await consumeSignInToken(tx, sha256(token));
    if (emailNormalized === null) return null;
    const userId = await ensureUserByEmail(tx, emailNormalized);
    const own = await listSubscriptionsOfPerson(tx, { emailNormalized, ownSubscriptionId: null });
    const live = own.filter((subscription) => subscription.state === "live");
    // A person with several subscriptions in force chooses on the next page.
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
  return wrong("link_invalid", visitor);
}

/** Opens a session by a key in force. It shows that key's subscription and ends with the key. */
export async function openSessionByKey(
  database: Database,
  sent: string,
  visitor: SignInVisitor,
): Promise<SignInOutcome> {
  const apiKey = cleanPastedKey(sent);
  const owner = env().ownerApiKey;
  // A malformed key is looked up as well, so that it takes as long as an unknown one.
  const { key } = await lookUpKey(sha256(apiKey));
  if (owner !== null && isSameSecret(apiKey, owner))
    return openHoldersSession(database, OWNER, true, visitor);
  if (!key || !isKeyShaped(apiKey)) return wrong("key_invalid", visitor);
  if (key.state !== "live") return { ok: false, reason: "key_ended" };
  return openHoldersSession(database, key, false, visitor);
}

/** The refusal for a wrong link or key: `too_many_attempts` after more than 20 from this network within a minute. */
async function wrong(reason: "link_invalid" | "key_invalid", visitor: SignInVisitor): Promise<SignInOutcome> {
  const { allowed } = await recordWrongKey(visitor.address);
  return { ok: false, reason: allowed ? reason : "too_many_attempts" };
}

/** The owner's key is in the environment, not in the database; id 0 stands for its subscription and key. */
const OWNER = { subscriptionId: 0, keyId: 0 };

async function openHoldersSession(
  database: Database,
  { subscriptionId, keyId }: { subscriptionId: number; keyId: number },
  isOwner: boolean,
  visitor: SignInVisitor,
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
