import { db } from "@/db/client";
import type { FoundAdminPortalView } from "@/db/queries/portal-views";
import {
  type FoundSession,
  findSubscriberSession,
  type SubscriberAccess,
  touchSession,
} from "@/db/queries/sessions";
import { getSubscription } from "@/db/queries/subscriptions";
import { keyHint } from "@/lib/access/keys/key-text";
import { effectiveRateLimit, effectiveScope, OWNER_GRANT, type Scope } from "@/lib/access/plans";
import { env } from "@/lib/runtime/env";
import { notePageVisitor } from "@/lib/runtime/page-request";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { readSessionCookie } from "./session-cookie";
import { sessionTokenHash } from "./session-token";

/** A signed-in person, or an administrator's view, with the subscription of the portal, as read for this request. */
export interface Subscriber extends Omit<SubscriberAccess, "rateLimitPerMin"> {
  sessionId: string;
  userId: string;
  emailNormalized: string | null;
  ownSubscriptionId: number | null;
  /** Whether the person signed in recently enough for irreversible actions. */
  isFresh: boolean;
  /** Whether the session was opened with a key. Such a session ends with its key. */
  byKey: boolean;
  isOwnerEnv: boolean;
  scope: Scope;
  /** Effective limit of requests per minute. */
  rateLimitPerMin: number;
  versions: { signals: number; executions: number };
  /** End of an administrator's view, which is read-only and hides secrets; null: the subscriber's own session. */
  viewedUntil: Date | null;
}

export type PortalVisitor =
  | { kind: "signed-out" }
  /**
   * Signed in, but no subscription is selected, or the selected one has no key in force. For a session opened with a
   * key: that key is not in force.
   */
  | { kind: "no-access"; session: FoundSession }
  | { kind: "subscriber"; subscriber: Subscriber };

/**
 * The subscriber of a request's cookies. The session's row and the subscription's keys are read on every request, so
 * that ended access applies to the next one.
 */
export async function findSubscriber(cookie: (name: string) => string | undefined): Promise<PortalVisitor> {
  const token = await readSessionCookie(cookie);
  if (token === null) return { kind: "signed-out" };
  await settingsCache().get();
  const owner = env().ownerApiKey === null ? null : await findOwner(token);
  if (owner) return letIn(owner);
  const session = await findSubscriberSession(db(), sessionTokenHash(token, false));
  // A rotated key is replaced: a session that was opened with it may not even show the subscription of the new one.
  if (!session || session.isKeyRotated) return { kind: "signed-out" };
  if (session.isDueForTouch) await touchSession(db(), session.sessionId);
  if (!session.access) return { kind: "no-access", session };
  return letIn(subscriberOf(session, session.access, false));
}

function letIn(subscriber: Subscriber): PortalVisitor {
  notePageVisitor({ subscriptionId: subscriber.subscriptionId });
  return { kind: "subscriber", subscriber };
}

/** A session of the installation's owner, whose key is not in the database. */
async function findOwner(token: string): Promise<Subscriber | null> {
  const session = await findSubscriberSession(db(), sessionTokenHash(token, true));
  if (session?.ownSubscriptionId !== 0) return null;
  const subscription = await getSubscription(db(), 0);
  if (session.isDueForTouch) await touchSession(db(), session.sessionId);
  const access: SubscriberAccess = {
    ...OWNER_GRANT,
    plans: null,
    delayCandles: null,
    stretches: null,
    subscriptionId: 0,
    userName: subscription.userName,
    email: null,
    preferences: subscription.preferences,
    subscribedAt: subscription.createdAt,
    keyId: 0,
    hint: keyHint(env().ownerApiKey ?? ""),
    expiresAt: null,
    keyCreatedAt: subscription.createdAt,
  };
  return subscriberOf(session, access, true);
}

function subscriberOf(session: FoundSession, access: SubscriberAccess, isOwnerEnv: boolean): Subscriber {
  return {
    ...access,
    sessionId: session.sessionId,
    userId: session.userId,
    emailNormalized: session.emailNormalized,
    ownSubscriptionId: session.ownSubscriptionId,
    isFresh: session.isFresh,
    byKey: session.keyId !== null,
    isOwnerEnv,
    scope: effectiveScope(access),
    rateLimitPerMin: effectiveRateLimit(access),
    versions: session.versions,
    viewedUntil: null,
  };
}

/** User id of an administrator's view: no user, so that nothing is stored for the subscriber. */
const NO_USER = "00000000-0000-0000-0000-000000000000";

/** The subscriber of an administrator's view. */
export function subscriberOfView({ viewId, until, versions, access }: FoundAdminPortalView): Subscriber {
  return {
    ...access,
    sessionId: viewId,
    userId: NO_USER,
    emailNormalized: null,
    ownSubscriptionId: access.subscriptionId,
    isFresh: false,
    byKey: false,
    isOwnerEnv: false,
    scope: effectiveScope(access),
    rateLimitPerMin: effectiveRateLimit(access),
    versions,
    viewedUntil: until,
  };
}
