import { randomBytes } from "node:crypto";
import { db } from "@/db/client";
import {
  ADMIN_VIEW_MINUTES,
  endAdminPortalView,
  findAdminPortalView,
  hasKeyInForce,
  insertAdminPortalView,
} from "@/db/queries/portal-views";
import { roleForAction, roleIncludes } from "@/lib/access/people/roles";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { notePageVisitor, readOncePerPage } from "@/lib/runtime/page-request";
import { sha256 } from "@/lib/runtime/secrets";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { AppError } from "@/lib/wire/errors";
import { findSubscriber, type PortalVisitor, type Subscriber, subscriberOfView } from "./find-subscriber";
import { isSecureSite } from "./session-cookie";

/** Name of a view's cookie: a random token that names a row, sent only to addresses under /portal. */
export const VIEW_COOKIE = "portal_view";

/**
 * Name of the form that opens a view of a subscriber's portal. The form's role is required on every page of the view.
 */
export const VIEW_ACTION = "portal.view";

/** The administrator's session behind a view. */
export interface ViewingSession {
  sessionId: string;
  administratorId: number | null;
  address: string | null;
  actor: Actor;
}

/**
 * Opens a read-only view of a subscriber's portal and ends the session's previous view. Returns the value of
 * `Set-Cookie`. The subscriber sees the view in the portal's settings. Throws conflict if the subscriber has no key in
 * force.
 */
export async function openPortalView(viewing: ViewingSession, subscriptionId: number): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await db().transaction(async (tx) => {
    if (!(await hasKeyInForce(tx, subscriptionId)))
      throw new AppError("conflict", {
        detail: "This subscriber has no working key, so there is no portal to view.",
      });
    const former = await endAdminPortalView(tx, viewing.sessionId);
    if (former) await recordAudit(tx, endOf(former, viewing.actor));
    const { viewId, until } = await insertAdminPortalView(tx, {
      tokenHash: sha256(token),
      openedBy: viewing.sessionId,
      administratorId: viewing.administratorId,
      subscriptionId,
      address: viewing.address,
    });
    await recordAudit(tx, {
      actor: viewing.actor,
      action: VIEW_ACTION,
      target: `subscription/${subscriptionId}`,
      subscriptionId,
      details: { view: viewId, until: until.toISOString() },
    });
  });
  return viewCookie(token, ADMIN_VIEW_MINUTES * 60);
}

/** Ends the view of an administrator's session, if any. Returns the value that removes the cookie. */
export async function endPortalView({
  sessionId,
  actor,
}: Pick<ViewingSession, "sessionId" | "actor">): Promise<string> {
  await db().transaction(async (tx) => {
    const ended = await endAdminPortalView(tx, sessionId);
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
 * The subscriber whose portal a request shows: of an administrator's view, which takes precedence, or of the
 * visitor's own session. The view's row is read on every request, so that it ends with its time, its session or its
 * role.
 */
export async function findPortalVisitor(
  cookie: (name: string) => string | undefined,
): Promise<PortalVisitor> {
  const subscriber = await findViewed(cookie(VIEW_COOKIE));
  return subscriber ? { kind: "subscriber", subscriber } : findSubscriber(cookie);
}

/**
 * The result of findPortalVisitor, read once per rendered page for its guard and its components. Not for a stream,
 * which outlives the result.
 */
export const findVisitorOfPage = (cookie: (name: string) => string | undefined): Promise<PortalVisitor> =>
  readOncePerPage("portal-reader", () => findPortalVisitor(cookie));

async function findViewed(token: string | undefined): Promise<Subscriber | null> {
  if (!token) return null;
  await settingsCache().get();
  const view = await findAdminPortalView(db(), sha256(token));
  if (!view || !roleIncludes(view.role, roleForAction(VIEW_ACTION))) return null;
  notePageVisitor("administrator");
  return subscriberOfView(view);
}
