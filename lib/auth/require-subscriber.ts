import { cookies } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { paths } from "../paths";
import { findSubscriber, type Subscriber, type SubscriberState } from "./find-subscriber";

/** Who is behind the page being made; asked of the database once per page. */
export const currentSubscriber = cache(async (): Promise<SubscriberState> => {
  const jar = await cookies();
  return findSubscriber((name) => jar.get(name)?.value);
});

/** The subscriber whose page this is. Anyone else is sent to where he can become one. */
export async function requireSubscriber(): Promise<Subscriber> {
  const found = await currentSubscriber();
  if (found.kind === "subscriber") return found.subscriber;
  redirect(found.kind === "no-access" ? paths.chooseSubscription() : paths.login());
}
