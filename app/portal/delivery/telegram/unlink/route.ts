import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { unlinkTelegram } from "@/lib/outbound/telegram/links";
import { paths } from "@/lib/paths";

/** POST: ends the link of the subscription's chat. */
export const POST = formRoute({
  name: "portal.telegram_unlink",
  guard: subscriberToldOnce,
  fields: NoFields,
  page: () => paths.portalDelivery(),
  act: async ({ subscriber, actor }) => {
    await unlinkTelegram(db(), subscriber.subscriptionId, actor);
    return { to: paths.portalDelivery(), flash: { kind: "done", text: "The chat is unlinked." } };
  },
});
