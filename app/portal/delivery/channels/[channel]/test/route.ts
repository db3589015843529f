import { channelOf } from "@/app/portal/delivery/_components/channel-form";
import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberToldOnce } from "@/lib/auth/guards";
import { testRecipient } from "@/lib/outbound/channels/recipients";
import { paths } from "@/lib/paths";

/** POST: sends a test message to the subscriber's recipient in a channel. */
export const POST = formRoute({
  name: "portal.channel_test",
  guard: subscriberToldOnce,
  fields: NoFields,
  page: (_: { channel: string }) => paths.portalDelivery(),
  act: async ({ subscriber, params }) => {
    await testRecipient(db(), subscriber, channelOf(params));
    return { to: paths.portalDelivery(), flash: { kind: "done", text: "The test is on its way." } };
  },
});
