import { db } from "@/db/client";
import { chooseSubscription, listOwnSubscriptions } from "@/db/queries/portal-sessions";
import { findSubscriber } from "@/lib/auth/find-subscriber";
import { formRoute, readForm, seeOther } from "@/lib/auth/form-route";
import { cookiesOf } from "@/lib/auth/session-cookie";
import { paths } from "@/lib/paths";

/** POST /login/pick: shows another of the person's own subscriptions from now on. */
export const POST = formRoute(async (request) => {
  const found = await findSubscriber(cookiesOf(request.headers));
  if (found.kind === "signed-out") return seeOther(paths.login());
  const person = found.kind === "subscriber" ? found.subscriber : found.session;
  const { subscription = "" } = await readForm(request);

  const own = await listOwnSubscriptions(db(), person);
  const wanted = own.find(
    (candidate) => String(candidate.subscriptionId) === subscription && candidate.state === "live",
  );
  if (!wanted) return seeOther(paths.chooseSubscription());
  await chooseSubscription(db(), person.sessionId, wanted.subscriptionId);

  return seeOther(paths.portal());
});
