import type { FoundSession } from "@/db/queries/sessions";
import { roleForAction, roleIncludes } from "@/lib/access/people/roles";
import { adminSessionActor, subscriberActor } from "@/lib/api/request-actor";
import { adminPaths, paths } from "@/lib/paths";
import type { Actor } from "@/lib/runtime/audit";
import { type AdminSession, authenticateAdminSession, readAdminSessionToken } from "./admin-session";
import { readOnlyViewResponse, redirectWithGet } from "./browser-answer";
import { findSubscriber, type Subscriber } from "./find-subscriber";
import { findPortalVisitor } from "./portal-view";
import { safeReturnPath } from "./safe-return-path";
import { cookiesOf } from "./session-cookie";
import { signInPath } from "./sign-in-path";

/** A request before its guard has run. */
export interface UnguardedRequest {
  request: Request;
  requestId: string;
  /** The page that shows the form; undefined for documents, such as previews and downloads. */
  page: string | undefined;
  /** Name of the form or document, which determines the required role. */
  action: string;
}

/** The authorised sender of a request. */
export interface AuthorizedSender {
  /** The session whose next page shows the result; null: the result is only in the redirect's address. */
  flashSession: string | null;
  /** The sender's subscription, which the form's page must have shown; missing: any. */
  subscriptionId?: number;
}

/** Returns the authorised sender, or throws the response for anyone else. */
export type RequestGuard<S extends AuthorizedSender> = (arrival: UnguardedRequest) => Promise<S>;

export type Administrator = AuthorizedSender & {
  actor: Actor;
  role: AdminSession["role"];
  sessionId: string;
  administratorId: number | null;
};

/** Requires an administrator's session with the role for the action. */
export async function adminOnly({
  request,
  requestId,
  page,
  action,
}: UnguardedRequest): Promise<Administrator> {
  const session = await authenticateAdminSession(readAdminSessionToken(request.headers));
  if (!session) throw redirectWithGet(adminPaths.signIn({ next: page, reason: "ended" }));
  if (!roleIncludes(session.role, roleForAction(action)))
    throw redirectWithGet(adminPaths.overview({ reason: "role" }));
  const { sessionId, person } = session;
  const administratorId = person?.id ?? null;
  return {
    flashSession: sessionId,
    sessionId,
    administratorId,
    role: session.role,
    actor: adminSessionActor(request, { sessionId, administratorId }, requestId),
  };
}

/**
 * Requires a subscriber with working access, and refuses an administrator's view, which is read-only. The sign-in leads
 * back to the form's page and says whether the session has ended.
 */
export async function subscriberOnly({
  request,
  requestId,
  page,
}: UnguardedRequest): Promise<AuthorizedSender & { subscriber: Subscriber; actor: Actor }> {
  const subscriber = await requireSubscriberOf(request, page);
  if (subscriber.viewedUntil !== null) throw readOnlyViewResponse();
  const actor = subscriberActor(request, subscriber.subscriptionId, requestId);
  const { subscriptionId } = subscriber;
  return { flashSession: null, subscriptionId, subscriber, actor };
}

/**
 * Requires a subscriber with working access, and refuses an administrator's view. The form's result is shown as a flash
 * on the session's next page.
 */
export async function subscriberWithFlash(
  arrival: UnguardedRequest,
): Promise<AuthorizedSender & { subscriber: Subscriber; actor: Actor }> {
  const sender = await subscriberOnly(arrival);
  return { ...sender, flashSession: sender.subscriber.sessionId };
}

/** Requires a session or view of the portal: for documents that change nothing. */
export async function portalVisitorOnly({
  request,
}: UnguardedRequest): Promise<AuthorizedSender & { subscriber: Subscriber }> {
  return { flashSession: null, subscriber: await requireSubscriberOf(request) };
}

/** Requires a signed-in person, with or without a subscription in force. */
export async function signedInOnly({
  request,
}: UnguardedRequest): Promise<AuthorizedSender & { person: Subscriber | FoundSession }> {
  const found = await findSubscriber(cookiesOf(request.headers));
  if (found.kind === "signed-out") throw redirectWithGet(paths.login());
  return { flashSession: null, person: found.kind === "subscriber" ? found.subscriber : found.session };
}

/** Allows everyone, for the forms for signing in and out and for public files. */
export async function allowAnyone(): Promise<AuthorizedSender> {
  return { flashSession: null };
}

/** The subscriber of a request. Throws a redirect to the sign-in or the choice of a subscription for anyone else. */
export async function requireSubscriberOf(request: Request, page?: string): Promise<Subscriber> {
  const cookie = cookiesOf(request.headers);
  const found = await findPortalVisitor(cookie);
  if (found.kind === "subscriber") return found.subscriber;
  if (found.kind === "no-access") throw redirectWithGet(paths.chooseSubscription());
  throw redirectWithGet(
    page === undefined ? paths.login() : signInPath(cookie, safeReturnPath(page, undefined)),
  );
}
