import { db } from "@/db/client";
import { chooseOwnSubscription } from "@/lib/auth/choose-own-subscription";
import { findSubscriber } from "@/lib/auth/find-subscriber";
import { formRoute, readForm, seeOther } from "@/lib/auth/form-route";
import { safeNext } from "@/lib/auth/safe-next";
import { cookiesOf } from "@/lib/auth/session-cookie";
import { paths } from "@/lib/paths";

/** POST /login/pick: shows another of the person's own subscriptions from now on. */
export const POST = formRoute(async (request) => {
  const found = await findSubscriber(cookiesOf(request.headers));
  if (found.kind === "signed-out") return seeOther(paths.login());
  const person = found.kind === "subscriber" ? found.subscriber : found.session;
  const { subscription = "", next } = await readForm(request);

  const chosen = await chooseOwnSubscription(db(), person, subscription);

  return seeOther(
    chosen ? safeNext(next, paths.portal()) : paths.chooseSubscription(safeNext(next, undefined)),
  );
});
