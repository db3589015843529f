import type { FoundSession } from "@/db/queries/sessions";
import { mayAct, roleForAction } from "@/lib/access/people/roles";
import { adminSessionActor, subscriberActor } from "@/lib/api/request-actor";
import { adminPaths, paths } from "@/lib/paths";
import type { Actor } from "@/lib/runtime/audit";
import { type AdminSession, adminToken, findAdminSession } from "./admin-session";
import { onlyLooking, seeOther } from "./browser-answer";
import { findSubscriber, type Subscriber } from "./find-subscriber";
import { findPortalReader } from "./portal-view";
import { cookiesOf } from "./session-cookie";

/** A request at the door of a handler beside pages. */
export interface Arrival {
  request: Request;
  requestId: string;
  /** The page that the form stands on; a document stands on none. */
  page: string | undefined;
  /** The name of the form or document: what a role is needed for. */
  action: string;
}

/** Who a guard let in. */
export interface Sender {
  /** The session whose next page shows how the form went; null where the address alone tells it. */
  flashSession: string | null;
  /** The subscription that the sender has, which the form's page must have shown; missing: any. */
  subscriptionId?: number;
}

/** Lets in who may, and throws the answer for everybody else. */
export type Guard<S extends Sender> = (arrival: Arrival) => Promise<S>;

export type Administrator = Sender & {
  actor: Actor;
  role: AdminSession["role"];
  sessionId: string;
  administratorId: number | null;
};

/** Lets in an administrator by a live session, whose role is enough for the action. */
export async function adminOnly({ request, requestId, page, action }: Arrival): Promise<Administrator> {
  const session = await findAdminSession(adminToken(request.headers));
  if (!session) throw seeOther(adminPaths.signIn({ next: page, reason: "ended" }));
  if (!mayAct(session.role, roleForAction(action)))
    throw seeOther(adminPaths.signIn({ next: page, reason: "role" }));
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

/** Lets in a subscriber whose access works, and no administrator who looks at the portal: nothing can be done there. */
export async function subscriberOnly({
  request,
  requestId,
}: Arrival): Promise<Sender & { subscriber: Subscriber; actor: Actor }> {
  const subscriber = await requireSubscriberOf(request);
  if (subscriber.viewedUntil !== null) throw onlyLooking();
  const actor = subscriberActor(request, subscriber.subscriptionId, requestId);
  const { subscriptionId } = subscriber;
  return { flashSession: null, subscriptionId, subscriber, actor };
}

/** The same where the next page shows how the form went. */
export async function subscriberToldOnce(
  arrival: Arrival,
): Promise<Sender & { subscriber: Subscriber; actor: Actor }> {
  const sender = await subscriberOnly(arrival);
  return { ...sender, flashSession: sender.subscriber.sessionId };
}

/** Lets in whom the portal shows its pages to: for what a page needs beside itself, and that changes nothing. */
export async function portalReaderOnly({ request }: Arrival): Promise<Sender & { subscriber: Subscriber }> {
  return { flashSession: null, subscriber: await requireSubscriberOf(request) };
}

/** Lets in a signed-in person, with a subscription in force or without. */
export async function personOnly({
  request,
}: Arrival): Promise<Sender & { person: Subscriber | FoundSession }> {
  const found = await findSubscriber(cookiesOf(request.headers));
  if (found.kind === "signed-out") throw seeOther(paths.login());
  return { flashSession: null, person: found.kind === "subscriber" ? found.subscriber : found.session };
}

/** Lets in everybody: the forms for signing in and out. */
export async function anyone(): Promise<Sender> {
  return { flashSession: null };
}

/** The subscriber behind a request, or the end of it: anyone else is sent to the page for becoming one. */
export async function requireSubscriberOf(request: Request): Promise<Subscriber> {
  const found = await findPortalReader(cookiesOf(request.headers));
  if (found.kind === "subscriber") return found.subscriber;
  throw seeOther(found.kind === "no-access" ? paths.chooseSubscription() : paths.login());
}
