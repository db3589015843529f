import { db } from "@/db/client";
import { subscriberActor } from "@/lib/api/request-actor";
import { formRoute, readForm, requireSubscriberOf, seeOther } from "@/lib/auth/form-route";
import { rotateKeyInPortal } from "@/lib/auth/rotate-key-in-portal";
import { paths } from "@/lib/paths";
import { AppError } from "@/lib/wire/errors";

/** POST /portal/key/rotate: a new key in place of the present one, shown once on the next page. */
export const POST = formRoute(async (request, requestId) => {
  const subscriber = await requireSubscriberOf(request);
  if (subscriber.isOwnerEnv) throw new AppError("owner_key_in_environment");
  if (!subscriber.isFresh) return seeOther(paths.login(paths.portalKey(), { notice: "again" }));
  const { typed_word: typed = "" } = await readForm(request);
  if (typed.trim() !== "ROTATE") return seeOther(paths.portalKey());

  await rotateKeyInPortal(db(), subscriber, subscriberActor(request, subscriber.subscriptionId, requestId));

  return seeOther(paths.portalNewKey());
});
