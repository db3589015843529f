import { channelOf } from "@/app/portal/delivery/_components/channel-form";
import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { removeRecipient } from "@/lib/outbound/channels/recipients";
import { paths } from "@/lib/paths";

/** POST: deletes the subscriber's recipient in a channel with what was sent to it. */
export const POST = formRoute({
  name: "portal.channel_remove",
  guard: subscriberToldOnce,
  fields: NoFields,
  page: (_: { channel: string }) => paths.portalDelivery(),
  act: async ({ subscriber, actor, params }) => {
    await removeRecipient(db(), subscriber, channelOf(params), actor);
    return { to: paths.portalDelivery(), flash: { kind: "done", text: "Removed." } };
  },
});
