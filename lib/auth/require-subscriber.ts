import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { db } from "@/db/client";
import type { SiteTextVersion } from "@/db/queries/cached-settings";
import { listAcceptedSiteTextIds } from "@/db/queries/site";
import { PAGE_ADDRESS_HEADER, PAGE_REFRESH_HEADER } from "@/lib/api/page-address";
import { paths } from "@/lib/paths";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { findSubscriber, type PortalVisitor, type Subscriber } from "./find-subscriber";
import { findVisitorOfPage } from "./portal-view";
import { safeReturnPath } from "./safe-return-path";
import { signInPath } from "./sign-in-path";

/** The visitor's own subscription, for the sign-in pages; read once per page. */
export const currentSubscriber = cache(async (): Promise<PortalVisitor> => {
  const jar = await cookies();
  return findSubscriber((name) => jar.get(name)?.value);
});

/** The subscriber whose portal this page shows: the visitor's own, or that of an administrator's view. */
const currentReader = cache(async (): Promise<PortalVisitor> => {
  const jar = await cookies();
  return findVisitorOfPage((name) => jar.get(name)?.value);
});

/**
 * Texts that the subscriber has not accepted in their current version. None for the owner of the installation, and none
 * in an administrator's view, which cannot accept.
 */
export const textsToAccept = cache(
  async ({ userId, isOwnerEnv, viewedUntil }: Subscriber): Promise<SiteTextVersion[]> => {
    const required = settingsCache().now.texts.filter(({ isAsked }) => isAsked);
    if (required.length === 0 || isOwnerEnv || viewedUntil !== null) return [];
    const accepted = await listAcceptedSiteTextIds(
      db(),
      userId,
      required.map(({ id }) => id),
    );
    return required.filter(({ id }) => !accepted.includes(id));
  },
);

/**
 * A page's subscriber. `flashSession`: the session whose flash this page shows; null when the page is only refreshed,
 * which shows no flash.
 */
export type PageSubscriber = Subscriber & { flashSession: string | null };

/**
 * The subscriber of this page. Redirects to the sign-in, which leads back here, to the choice of a subscription if none
 * in force is selected, or to the page with texts that must be accepted first. Redirects a try-out key to the overview,
 * unless the page sets `tryOut`. Such a page must show no signals, or delay them as the key's scope says.
 */
export async function requireSubscriber({ tryOut = false } = {}): Promise<PageSubscriber> {
  const [found, sent] = await Promise.all([currentReader(), headers()]);
  const isIn = found.kind === "subscriber";
  if (isIn && (await textsToAccept(found.subscriber)).length === 0) {
    if (found.subscriber.delayCandles !== null && !tryOut) redirect(paths.portal());
    return {
      ...found.subscriber,
      flashSession: sent.has(PAGE_REFRESH_HEADER) ? null : found.subscriber.sessionId,
    };
  }
  const address = safeReturnPath(sent.get(PAGE_ADDRESS_HEADER), paths.portal());
  const next = address === paths.portal() ? undefined : address;
  if (isIn) redirect(paths.acceptTexts(next));
  const jar = await cookies();
  const cookie = (name: string) => jar.get(name)?.value;
  redirect(found.kind === "no-access" ? paths.chooseSubscription(next) : signInPath(cookie, next));
}
