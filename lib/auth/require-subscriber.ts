import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { db } from "@/db/client";
import type { TextVersion } from "@/db/queries/operated";
import { listAccepted } from "@/db/queries/site";
import { PAGE_ADDRESS_HEADER } from "@/lib/api/page-address";
import { paths } from "@/lib/paths";
import { operated } from "@/lib/runtime/operated";
import { findSubscriber, type Subscriber, type SubscriberState } from "./find-subscriber";
import { findReaderOfPage } from "./portal-view";
import { safeNext } from "./safe-next";
import { signInPath } from "./sign-in-path";

/** The reader's own subscription, for the pages of signing in; read from the database once per page. */
export const currentSubscriber = cache(async (): Promise<SubscriberState> => {
  const jar = await cookies();
  return findSubscriber((name) => jar.get(name)?.value);
});

/** The subscriber whose portal this page shows: the reader's own, or the one whom an administrator looks at. */
const currentReader = cache(async (): Promise<SubscriberState> => {
  const jar = await cookies();
  return findReaderOfPage((name) => jar.get(name)?.value);
});

/** The texts that the subscriber of this page has not accepted in their present version; nobody accepts by looking. */
export const textsToAccept = cache(
  async ({ userId, isOwnerEnv, viewedUntil }: Subscriber): Promise<TextVersion[]> => {
    const asked = operated().now.texts.filter(({ isAsked }) => isAsked);
    if (asked.length === 0 || isOwnerEnv || viewedUntil !== null) return [];
    const accepted = await listAccepted(
      db(),
      userId,
      asked.map(({ id }) => id),
    );
    return asked.filter(({ id }) => !accepted.includes(id));
  },
);

/**
 * The subscriber of this page. Without one it redirects to the sign-in, which leads back here; one who
 * is asked to accept a text sees that page first, and one with a try-out key the overview, unless the page is `tryOut`: it
 * shows no signal, or those of the scope with its delay.
 */
export async function requireSubscriber({ tryOut = false } = {}): Promise<Subscriber> {
  const found = await currentReader();
  const isIn = found.kind === "subscriber";
  if (isIn && (await textsToAccept(found.subscriber)).length === 0) {
    if (found.subscriber.delayCandles !== null && !tryOut) redirect(paths.portal());
    return found.subscriber;
  }
  const address = safeNext((await headers()).get(PAGE_ADDRESS_HEADER), paths.portal());
  const next = address === paths.portal() ? undefined : address;
  if (isIn) redirect(paths.acceptTexts(next));
  const jar = await cookies();
  const cookie = (name: string) => jar.get(name)?.value;
  redirect(found.kind === "no-access" ? paths.chooseSubscription(next) : signInPath(cookie, next));
}
