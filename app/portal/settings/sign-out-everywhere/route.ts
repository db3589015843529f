import { db } from "@/db/client";
import { subscriberActor } from "@/lib/api/request-actor";
import { endEverySession } from "@/lib/auth/end-every-session";
import { formRoute, requireSubscriberOf, seeOther } from "@/lib/auth/form-route";
import { signOut } from "@/lib/auth/sign-in";
import { paths } from "@/lib/paths";

/** POST /portal/settings/sign-out-everywhere: ends every session of the person and of the subscription. */
export const POST = formRoute(async (request, requestId) => {
  const subscriber = await requireSubscriberOf(request);
  await endEverySession(db(), subscriber, subscriberActor(request, subscriber.subscriptionId, requestId));

  return seeOther(paths.login(undefined, { notice: "signed_out_everywhere" }), await signOut(request));
});
