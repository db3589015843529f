import { ChannelForm, channelOf, recipientOfForm } from "@/app/portal/delivery/_components/channel-form";
import { db } from "@/db/client";
import { formRoute } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { saveRecipient } from "@/lib/outbound/channels/recipients";
import { paths } from "@/lib/paths";

/** POST: stores where the subscriber is told of signals by a channel, and of what. */
export const POST = formRoute({
  name: "portal.channel_save",
  guard: subscriberToldOnce,
  fields: ChannelForm,
  page: (_: { channel: string }) => paths.portalDelivery(),
  act: async ({ subscriber, actor, params, values }) => {
    await saveRecipient(db(), subscriber, channelOf(params), recipientOfForm(values), actor);
    return { to: paths.portalDelivery(), flash: { kind: "done", text: "Saved." } };
  },
});
