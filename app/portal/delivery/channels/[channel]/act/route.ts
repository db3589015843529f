import {
  ChannelFormFields,
  channelOf,
  recipientOfForm,
} from "@/app/portal/delivery/_components/channel-form";
import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { subscriberWithFlash } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { queueTestMessage, removeRecipient, saveRecipient } from "@/lib/outbound/channels/recipients";
import { paths } from "@/lib/paths";

const common = { guard: subscriberWithFlash, page: (_: { channel: string }) => paths.portalDelivery() };

/** POST: stores, tests and removes the address to which a channel, such as Discord, sends a subscriber's signals. */
export const POST = dispatchByIntent({
  /** Stores the recipient's address, events and quiet hours. */
  save: formRoute({
    ...common,
    name: "portal.channel_save",
    fields: ChannelFormFields,
    act: async ({ subscriber, actor, params, values }) => {
      await saveRecipient(db(), subscriber, channelOf(params), recipientOfForm(values), actor);
      return "Saved.";
    },
  }),

  test: formRoute({
    ...common,
    name: "portal.channel_test",
    fields: NoFields,
    act: async ({ subscriber, params }) => {
      await queueTestMessage(db(), subscriber, channelOf(params));
      return "The test is on its way.";
    },
  }),

  /** Deletes the recipient and its message history. */
  remove: formRoute({
    ...common,
    name: "portal.channel_remove",
    fields: NoFields,
    act: async ({ subscriber, actor, params }) => {
      await removeRecipient(db(), subscriber, channelOf(params), actor);
      return "Removed.";
    },
  }),
});
