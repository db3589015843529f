import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { makeTelegramLink } from "@/lib/outbound/telegram/links";
import { paths } from "@/lib/paths";

/** POST: makes a link into Telegram, which the next page shows once. */
export const POST = formRoute({
  name: "portal.telegram_link",
  guard: subscriberToldOnce,
  fields: NoFields,
  page: () => paths.portalDelivery(),
  act: async ({ subscriber, actor }) => {
    const url = await makeTelegramLink(db(), subscriber, actor);
    return { to: paths.portalDelivery(), flash: { kind: "telegram-link", url } };
  },
});
