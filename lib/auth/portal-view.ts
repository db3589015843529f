import { randomBytes } from "node:crypto";
import { db } from "@/db/client";
import { endView, findView, hasKeyInForce, insertView, VIEW_MINUTES } from "@/db/queries/portal-views";
import { mayAct, roleForAction } from "@/lib/access/people/roles";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { notePageVisitor, readOncePerPage } from "@/lib/runtime/page-request";
import { sha256 } from "@/lib/runtime/secrets";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { AppError } from "@/lib/wire/errors";
import { findSubscriber, type Subscriber, type SubscriberState, subscriberOfView } from "./find-subscriber";
import { isSecureSite } from "./session-cookie";

/** Name of the cookie of a view: a random token that names a row, sent to addresses under /portal alone. */
export const VIEW_COOKIE = "portal_view";

/** The form that opens a view, by which the role is judged, now and on every page of the view. */
export const VIEW_ACTION = "portal.view";

/** Who looks: an administrator, from one session. */
export interface Looker {
  sessionId: string;
  administratorId: number | null;
  address: string | null;
  actor: Actor;
}

/**
 * Opens a subscriber's portal for reading, in place of the view that the session had open. Returns the value of
 * `Set-Cookie`. The subscriber finds it in the portal's settings.
 */
export async function openPortalView(looker: Looker, subscriptionId: number): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await db().transaction(async (tx) => {
    if (!(await hasKeyInForce(tx, subscriptionId)))
      throw new AppError("conflict", {
        detail: "This subscriber has no key that works, so there is no portal to look at.",
      });
    const former = await endView(tx, looker.sessionId);
    if (former) await recordAudit(tx, endOf(former, looker.actor));
    const { viewId, until } = await insertView(tx, {
      tokenHash: sha256(token),
      openedBy: looker.sessionId,
      administratorId: looker.administratorId,
      subscriptionId,
      address: looker.address,
    });
    await recordAudit(tx, {
      actor: looker.actor,
      action: VIEW_ACTION,
      target: `subscription/${subscriptionId}`,
      subscriptionId,
      details: { view: viewId, until: until.toISOString() },
    });
  });
  return viewCookie(token, VIEW_MINUTES * 60);
}

/** Ends the view that an administrator's session has open, if there is one. Returns the value that removes the cookie. */
export async function endPortalView({
  sessionId,
  actor,
}: Pick<Looker, "sessionId" | "actor">): Promise<string> {
  await db().transaction(async (tx) => {
    const ended = await endView(tx, sessionId);
    if (ended) await recordAudit(tx, endOf(ended, actor));
  });
  return viewCookie("", 0);
}

const endOf = ({ viewId, subscriptionId }: { viewId: string; subscriptionId: number }, actor: Actor) => ({
  actor,
  action: "portal.view_end",
  target: `subscription/${subscriptionId}`,
  subscriptionId,
  details: { view: viewId },
});

function viewCookie(token: string, maxAgeSeconds: number): string {
  const parts = [
    `${VIEW_COOKIE}=${token}`,
    "Path=/portal",
    `Max-Age=${maxAgeSeconds}`,
    "HttpOnly",
    "SameSite=Strict",
  ];
  if (isSecureSite()) parts.push("Secure");
  return parts.join("; ");
}

/**
 * The subscriber whose portal a request's cookies show: of an administrator's view, which comes first, or of the
 * reader's own session. The view's row is read on every request, so that it ends with its time, its session or its role.
 */
export async function findPortalReader(
  cookie: (name: string) => string | undefined,
): Promise<SubscriberState> {
  const subscriber = await findViewed(cookie(VIEW_COOKIE));
  return subscriber ? { kind: "subscriber", subscriber } : findSubscriber(cookie);
}

/** The same for the rendering of one page: its area's guard and its components share one reading. Never for a stream. */
export const findReaderOfPage = (cookie: (name: string) => string | undefined): Promise<SubscriberState> =>
  readOncePerPage("portal-reader", () => findPortalReader(cookie));

async function findViewed(token: string | undefined): Promise<Subscriber | null> {
  if (!token) return null;
  await settingsCache().get();
  const view = await findView(db(), sha256(token));
  if (!view || !mayAct(view.role, roleForAction(VIEW_ACTION))) return null;
  notePageVisitor("administrator");
  return subscriberOfView(view);
}
