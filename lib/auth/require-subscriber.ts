import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { PAGE_ADDRESS_HEADER } from "@/lib/api/page-address";
import { paths } from "@/lib/paths";
import { findSubscriber, type Subscriber, type SubscriberState } from "./find-subscriber";
import { findPortalReader } from "./portal-view";
import { safeNext } from "./safe-next";

/** The reader's own subscription, for the pages of signing in; read from the database once per page. */
export const currentSubscriber = cache(async (): Promise<SubscriberState> => {
  const jar = await cookies();
  return findSubscriber((name) => jar.get(name)?.value);
});

/** The subscriber whose portal this page shows: the reader's own, or the one whom an administrator looks at. */
const currentReader = cache(async (): Promise<SubscriberState> => {
  const jar = await cookies();
  return findPortalReader((name) => jar.get(name)?.value);
});

/** The subscriber of this page. Without one it redirects to the sign-in, which leads back here (decision 145). */
export async function requireSubscriber(): Promise<Subscriber> {
  const found = await currentReader();
  if (found.kind === "subscriber") return found.subscriber;
  const address = safeNext((await headers()).get(PAGE_ADDRESS_HEADER), paths.portal());
  const next = address === paths.portal() ? undefined : address;
  redirect(found.kind === "no-access" ? paths.chooseSubscription(next) : paths.login(next));
}
